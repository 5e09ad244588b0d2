package main

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"agent/internal/testing/nettest"

	"github.com/rogpeppe/go-internal/testscript"
)

// nets has the internet of each running script.
var nets sync.Map

// startInternet starts hosts that answer by a file with lines of the form HOST/PATH ANSWER (see
// nettest). The answers for one path are used in order, and the last one repeats. In an answer, \n
// is a line break.
func startInternet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: internet FILE")
	}
	answer := playHosts(ts.ReadFile(args[0]))
	n := nettest.New(ts.Value(scriptTB{}).(testing.TB), answer)
	for _, pair := range n.Environ() {
		name, value, _ := strings.Cut(pair, "=")
		ts.Setenv(name, value)
	}
	nets.Store(ts, n)
}

// playHosts returns a function that answers requests by the lines of a script.
func playHosts(script string) func(nettest.Request) string {
	answers := map[string][]string{}
	for line := range strings.Lines(script) {
		if at, answer, found := strings.Cut(strings.TrimSpace(line), " "); found {
			answers[at] = append(answers[at], strings.ReplaceAll(strings.ReplaceAll(answer, `\n`, "\n"), "$KEY", secret))
		}
	}
	var mu sync.Mutex
	return func(r nettest.Request) string {
		mu.Lock()
		defer mu.Unlock()
		list := answers[r.Host+r.Path]
		if len(list) > 1 {
			answers[r.Host+r.Path] = list[1:]
		}
		if len(list) == 0 {
			return "404 {}"
		}
		return list[0]
	}
}

// askedInternet checks that a request to a host matched a pattern, or that none did.
func askedInternet(ts *testscript.TestScript, neg bool, args []string) {
	n, running := nets.Load(ts)
	if !running || len(args) != 1 {
		ts.Fatalf("usage: asked REGEXP, after internet")
	}
	wanted, found, all := regexp.MustCompile(args[0]), false, ""
	for _, r := range n.(*nettest.Net).Asked() {
		line := fmt.Sprintf("%s %s%s %v %s", r.Method, r.Host, r.Path, r.Header, r.Body)
		found, all = found || wanted.MatchString(line), all+line+"\n"
	}
	if found == neg {
		ts.Fatalf("asked was:\n%s", all)
	}
}
