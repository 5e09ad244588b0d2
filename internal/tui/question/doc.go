// Package question is how a person consents: the calls that wait for an answer, the
// keys that answer, and what is shown of them. Two promises:
//
// What is shown is what will run. Nothing of a command or a change is obeyed,
// removed or left invisible (style.Reveal); what does not fit is said, and its end is
// shown before it can be approved.
//
// Typing never answers. A letter answers only when it stands alone: not right after
// the question appeared, not while a message is being typed, and with no other key
// close behind it. Everything else that is typed belongs to the message.
package question
