exports.left = (text) => 'left 2: ' + text;
