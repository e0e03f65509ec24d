"""`jackfield plugins new`: a whole project for a plugin, with tests, types and a workflow for its checks.

`templates/common` is in every project, and `templates/KIND` stands above it. A file ends in `.tmpl` and has `@@word`
where `making.words_of` puts something in. The folder `package` becomes the package of the project.
"""
