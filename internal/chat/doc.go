// Package chat is the turn loop: it takes what the user says, keeps the context
// under its limit before every request, streams the model's reply, runs the tools
// it asks for, and tells what happens as typed events.
package chat
