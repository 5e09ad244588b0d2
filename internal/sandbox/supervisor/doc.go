// Package supervisor contains small processes that the program starts from its own executable. The
// holder keeps the namespaces that the commands of a session share, and starts helpers in them. The
// watcher outlives the program briefly and ends the remaining processes of its commands, which it
// finds by their Mark.
package supervisor
