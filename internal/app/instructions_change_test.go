package app_test

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"agent/internal/atcmd"
	"agent/internal/testing/llmtest"
)

// Instructions that change in mid-session reach the model as messages behind those it has seen. The
// user's own are system messages. All before them stays as it was, so that the cached prefix and the
// thinking count.
func TestInstructionsChangeInMidSession(t *testing.T) {
	t.Parallel()
	r := newRelay(t, "127.0.0.1", "", llmtest.Think("a").Say("one"), llmtest.Think("b").Say("two"), llmtest.Think("c").Say("three"))
	var before *llmtest.Request
	for i, rule := range []string{"", "answer in one word", "answer in two words"} {
		if rule != "" {
			write(t, filepath.Join(r.config, "AGENTS.md"), rule)
		}
		if _, err := r.Chat.Prompt(t.Context(), atcmd.Typed("go on")); err != nil {
			t.Fatal(err)
		}
		now := r.first.Requests()[i]
		if before != nil {
			if last := now.Messages[len(now.Messages)-1]; last.Role != "system" || !strings.Contains(last.Content, rule) {
				t.Errorf("%q arrives as %s: %q", rule, last.Role, last.Content)
			}
			for _, part := range []string{"system", "tools"} {
				if plain(now.Fields[part]) != plain(before.Fields[part]) {
					t.Errorf("%s: %s has changed", rule, part)
				}
			}
			for j, m := range before.Messages {
				if !reflect.DeepEqual(m, now.Messages[j]) {
					t.Errorf("%s: message %d was %+v and is %+v", rule, j, m, now.Messages[j])
				}
			}
			if thoughts := strings.Count(string(now.Body), `"type":"thinking"`); thoughts != i {
				t.Errorf("%s: %d of %d thoughts were sent back", rule, thoughts, i)
			}
		}
		before = now
	}
}

// plain returns a part of a request without the marks of the cache.
func plain(part []byte) string {
	return strings.ReplaceAll(string(part), `,"cache_control":{"type":"ephemeral"}`, "")
}
