"""Commands of this plugin: `jackfield user` manages users, `jackfield open` shows a browser in."""
