exports.middle = (text) => require('left-helper').left('middle ' + text);
