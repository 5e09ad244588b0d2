package patch

// Grammar is the grammar of a patch in the format of Lark, for models whose output can be
// constrained. [Parse] also accepts patches that the grammar does not allow.
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
