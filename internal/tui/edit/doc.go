// Package edit is the prompt as a value: the text, its cursor, what was pasted into
// it, and earlier prompts. It is pure: no keys, no colours, no screen.
package edit
