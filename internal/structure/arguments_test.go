package structure

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// entrances are the files that may parse the arguments of a call, because a call enters the program
// there or its arguments change there.
var entrances = map[string]string{
	"internal/tools/foreign_calls.go":     "the model has written a call, or a command that is a patch",
	"internal/tools/decode/decode.go":     "a call was translated, so it has other arguments",
	"internal/tools/decode/members.go":    "the arguments were an object in a string, or hold one",
	"internal/tools/decode/claude.go":     "a call holds the arguments of another call",
	"internal/extend/mcp/bridge/call.go":  "a call holds the arguments of a server's tool",
	"internal/app/hookgates/hook_gate.go": "a hook has changed the arguments",
	"internal/app/hookgates/checks.go":    "a check is a call that no model made",
	"internal/chat/shell.go":              "a person has typed a command",
	"internal/app/webtool/user.go":        "a person reads a page",
	"internal/app/check_policy.go":        "a person asks what the policy would say of a call",
	"internal/history/arguments.go":       "the record of a conversation was read",
	"internal/streamjson/follow.go":       "a client shows the calls of a session in another process",
}

// The arguments of a call are parsed once and passed on in parsed form. All callers then agree
// about null, duplicate arguments and texts that are not objects.
func TestArgumentsAreParsedWhereACallEnters(t *testing.T) {
	t.Parallel()
	parses := regexp.MustCompile(`arguments\.Parse\(|json\.Unmarshal\((?:\[\]byte\()?\w*\.(?:Arguments|Parameters)\b`)
	for _, root := range []string{"internal", "cmd"} {
		err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			name := filepath.ToSlash(path)
			if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "internal/testing/") {
				return err
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			if found := parses.Find(text); found != nil && entrances[name] == "" {
				t.Errorf("%s parses the arguments of a call (%s…): take the parsed arguments, or say in entrances which call enters there", name, found)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
