package cmdline_test

import (
	"math/rand/v2"
	"os/exec"
	"strings"
	"testing"

	"agent/internal/cmdline"
)

// A sed script that runs without approval never writes, reads or runs anything, whatever its
// brackets contain. sed confirms it: with --sandbox it refuses such scripts.
func TestSedScriptsOnlyLook(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(uint64(number(t, "LOOK_SEED", 1)), 7))
	tokens := []string{"[", "[", "]", "]", "^", `\\`, ";", "p", "s", "w x", "e x", "r x", "d", "[:", ":]", "[:alpha:]", "[.", ".]", "[=", "=]", "a", "-", "$", " ", "1", ",", "*", "(", `\n`, "[^", "[]"}
	text := func() string {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteString(tokens[random.IntN(len(tokens))])
		}
		return b.String()
	}
	command := func() string {
		address := []string{"", "1", "$", "/" + text() + "/", "1,/" + text() + "/", "/" + text() + "/,+2"}[random.IntN(6)]
		return address + []string{"p", "d", "q", "=", "s/" + text() + "/" + text() + "/" + []string{"", "g", "p", "2g", "I"}[random.IntN(5)]}[random.IntN(5)]
	}
	accepted := 0
	for accepted < number(t, "LOOK_COMMANDS", 25)*10 {
		script := command()
		if random.IntN(2) == 0 {
			script = "/" + text() + "/p;s/" + text() + "]/w x/g" // the first text may be unterminated
		}
		for range random.IntN(3) {
			script += ";" + command()
		}
		if !cmdline.OnlyLooksInSed(script) {
			continue
		}
		accepted++
		if out, err := exec.Command("sed", "--sandbox", "-n", script, "/dev/null").CombinedOutput(); err != nil && strings.Contains(string(out), "sandbox") {
			if strings.Contains(string(out), "option") {
				t.Skip("sed has no --sandbox here")
			}
			t.Errorf("%s: %s", script, out)
		}
	}
}

func TestSedBrackets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		script string
		want   bool
	}{
		{"s/[0-9]*//g", true},
		{"s/[[:space:]]*$//", true},
		{"/^[^]]*x/p", true},
		{`s/[\t ]*$//`, true},
		{"s/[]x]/y/", true},
		{"s/[^[:alpha:]_-]/y/", true},
		{"s/[[]/y/", true},
		{"s/[a[b]/y/", true},
		{"s/a/[/", true},
		{`s/\[a/[/`, true},
		{`/\[x\]/p`, true},
		{"s/a]/b]/", true},
		{"/[/p;s/x]/w out/g", false},
		{"/[/p;s/x]/e touch x #/g", false},
		{"s/[/x/;s/x]/w out/g", false},
		{"/[]/p;s/x]/w out/g", false},
		{"/[^]/p;s/x]/w out/g", false},
		{"/[[:x:]/p;s/y]/w out/g", false},
		{"/[[.x.]/p;s/y]/w out/g", false},
		{`/[\]/p;s/x]/w out/g`, false},
		{"1,/[/p;s/x]/w out/g", false},
		{"/[[:alpha:/p;s/:]]/w out/g", false},
	} {
		if got := cmdline.OnlyLooksInSed(tt.script); got != tt.want {
			t.Errorf("%s: %t", tt.script, got)
		}
	}
}
