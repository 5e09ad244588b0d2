// Package demo is the embedded demo model: an OpenAI-compatible server on a
// loopback port of this process, answered by a script instead of a model, and the
// small project it plays on. The program talks to it through the same client as
// to any endpoint, so that everything but the model is real.
//
// The script has no intelligence and says so. What it does next it derives from
// the messages of each request alone: which calls succeeded, what the tests
// printed, what the file it read contains. It therefore continues sensibly when a
// person interrupts, refuses an edit, changes a file in between or when the
// context was pruned. It plays one job, the repair of a shell script, and carries
// out a few plain requests with the real tools:
//
//	read FILE · replace A with B in FILE · run CMD · list · search X
//	what is in my context · help
package demo
