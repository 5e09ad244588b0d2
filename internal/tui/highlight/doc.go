// Package highlight styles source code.
package highlight
