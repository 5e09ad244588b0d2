// Package question is how a person consents: the calls that wait for an answer, the
// keys that answer, and what is shown of them. Two promises:
//
// What is shown is what will run. Nothing of a command or a change is obeyed,
// removed or left invisible (style.Reveal); what does not fit is said, and its end is
// shown before it can be approved.
//
// Typing never answers. A letter answers only when it is alone: not right after
// the question appeared, not while a message is being typed, and with no other key
// close behind it. A letter that answers too early or twice is held, not typed; a word that
// continues with it belongs to the message, as everything else does that is typed.
package question
