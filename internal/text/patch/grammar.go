package patch

// Grammar is what a patch looks like, in the format of Lark, for models whose writing is
// bound to one. [Parse] takes more than it.
const Grammar = `start: "*** Begin Patch" LF section+ "*** End Patch" LF?
section: added | deleted | updated
added: "*** Add File: " PATH LF (NEW LF)*
deleted: "*** Delete File: " PATH LF
updated: "*** Update File: " PATH LF (moved lines? | lines)
moved: "*** Move to: " PATH LF
lines: (ANCHOR LF | LINE LF)+ ("*** End of File" LF)?
PATH: /[^\n]+/
ANCHOR: /@@[^\n]*/
NEW: /\+[^\n]*/
LINE: /[-+ ][^\n]*/
%import common.LF
`
