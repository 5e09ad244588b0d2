// Package tokens counts the tokens of a text exactly as tiktoken does.
package tokens
