// Package todo has the model's list of tasks: its form, its validation, and the board with the
// current list.
package todo
