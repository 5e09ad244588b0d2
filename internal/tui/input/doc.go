// Package input is the prompt as a part of the screen: the text that is typed, what was
// pasted into it, earlier prompts, and the proposals under it. It sends nothing: the
// screen does, with the message that Message returns.
package input
