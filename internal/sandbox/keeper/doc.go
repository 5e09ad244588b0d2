// Package keeper is what the program is besides: small processes that it starts of
// itself and that stay. The holder keeps the namespaces which the commands of a session
// share and starts helpers in them; the watcher outlives the program for a moment and
// ends what its commands left behind, which it knows by their marks.
package keeper
