// Package todo implements the model's task list: its form, its validation, and the board that holds
// the current list.
package todo
