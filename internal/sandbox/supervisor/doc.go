// Package supervisor contains small processes that the program starts from its own executable. The
// holder keeps the namespaces that the commands of a session share, and starts helpers in them.
// The watcher outlives the program for a moment and ends the processes that its commands left
// behind. It recognises them by their Mark.
package supervisor
