// Package todo is the list of what the model means to do: its form, what is wrong
// with one, and the board that holds the current one.
package todo
