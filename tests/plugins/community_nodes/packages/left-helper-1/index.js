exports.left = (text) => 'left 1: ' + text;
