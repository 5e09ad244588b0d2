// Package compression keeps a conversation within the model's window.
package compression
