// Package app makes conversations. A program has one Process, which is what its
// conversations share: environment, folders, log file, and what is done when the program
// ends at once. New makes a Conversation from a workspace, settings and a listener; each
// has its own workspace, record, tools and turn loop, so that several can run at the same
// time. A front end differs from others in what it does with events and in how it answers
// questions, and in nothing else.
package app
