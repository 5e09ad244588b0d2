package term

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestStatusSequences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		status           Status
		report, progress string
	}{
		{Status{}, "\x1b]7501;state=clear\x1b\\", "\x1b]9;4;0;0\x1b\\"},
		{Status{State: "idle", Kind: "question"}, "\x1b]7501;state=idle:app=agent\x1b\\", "\x1b]9;4;0;0\x1b\\"},
		{Status{State: "working", Title: "lexer"}, "\x1b]7501;state=working:app=agent:title=bGV4ZXI=\x1b\\", "\x1b]9;4;3;0\x1b\\"},
		{Status{State: "blocked", Kind: "permission"}, "\x1b]7501;state=blocked:app=agent:kind=permission\x1b\\", "\x1b]9;4;4;100\x1b\\"},
		{Status{State: "error"}, "\x1b]7501;state=error:app=agent\x1b\\", "\x1b]9;4;0;0\x1b\\"},
	} {
		if report, progress := tt.status.Report(), tt.status.Progress(); report != tt.report || progress != tt.progress {
			t.Errorf("%+v: %q, %q", tt.status, report, progress)
		}
	}
}

// No title ends its sequence early, and none exceeds the limit of the protocol.
func TestStatusTitlesAreSealed(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		title := rapid.OneOf(rapid.String(), rapid.StringMatching(`[\x00-\x1f\x7f;:é日]{0,300}`)).Draw(t, "title")
		report := Status{State: "working", Title: title}.Report()
		body := strings.TrimSuffix(strings.TrimPrefix(report, "\x1b]"), "\x1b\\")
		if strings.ContainsFunc(body, func(r rune) bool { return r < ' ' || r > '~' }) {
			t.Fatalf("%q", report)
		}
		_, encoded, _ := strings.Cut(body, "title=")
		decoded, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil || len(decoded) > maxTitle || !utf8.Valid(decoded) || strings.ContainsFunc(string(decoded), func(r rune) bool { return r < ' ' }) {
			t.Fatalf("%q, %v", decoded, err)
		}
	})
}

func TestDrawsProgress(t *testing.T) {
	t.Parallel()
	for environ, want := range map[string]bool{
		"TERM=xterm-ghostty": true, "TERM=xterm-256color TERM_PROGRAM=WezTerm": true, "TERM=xterm-256color WT_SESSION=1": true, "ConEmuANSI=ON": true,
		"TERM=xterm-256color": false, "TERM=xterm-256color TERM_PROGRAM=iTerm.app": false, "TERM=xterm-ghostty TMUX=/tmp/x": false, "TERM=screen WT_SESSION=1": false,
	} {
		lookup := func(key string) string { return Lookup(strings.Fields(environ), key) }
		if DrawsProgress(lookup) != want {
			t.Errorf("%s: want %v", environ, want)
		}
	}
}

func TestDecoderTakesStatusAnswerOut(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]int{"a\x1b]7501;?\x1b\\b": 3, "a\x1b]7501;?\x07b": 3, "a\x1b]7501;x\x07b": 2} {
		var d Decoder
		if got := d.Feed(nil, []byte(answer)); len(got) != want {
			t.Errorf("%q: %v", answer, got)
		}
	}
}
