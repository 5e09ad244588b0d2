package term

import (
	"testing"
)

func TestIsDark(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		answer      string
		dark, known bool
	}{
		{"rgb:0000/0000/0000", true, true},
		{"rgb:ffff/ffff/ffff", false, true},
		{"rgb:fdf6/e3e3/d5d5", false, true},
		{"rgb:1e/1e/2e", true, true},
		{"rgba:ffff/ffff/ffff/8000", false, true},
		{"rgb:zz/00/00", false, false},
		{"#ffffff", false, false},
		{"", false, false},
		{"rgb://", false, false},
	} {
		if dark, known := isDark(tt.answer); dark != tt.dark || known != tt.known {
			t.Errorf("isDark(%q) = %v, %v", tt.answer, dark, known)
		}
	}
}

func TestDeclaredBackground(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		value       string
		dark, known bool
	}{{"15;0", true, true}, {"0;15", false, true}, {"0;default;15", false, true}, {"12;8", true, true}, {"0;7", false, true}, {"", false, false}, {"x;y", false, false}} {
		if dark, known := DeclaredBackground(tt.value); dark != tt.dark || known != tt.known {
			t.Errorf("declaredBackground(%q) = %v, %v", tt.value, dark, known)
		}
	}
}
