// Package patch shows unified diffs: one file's, or those of several.
package patch
