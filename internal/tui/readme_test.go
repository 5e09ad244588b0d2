package tui

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/chat"
	"agent/internal/gate"
	"agent/internal/testing/svg"
	"agent/internal/tools"
	"agent/internal/tui/style"
)

// pictureColumns is the width of the window in a picture.
const pictureColumns = 92

const tillDiff = `--- till.sh
+++ till.sh
@@ -18,7 +18,7 @@ total() {
 discount() {
 	local sum=$1
 	# Ten percent from ten euros on.
-	if [ "$sum" -gt 1000 ]; then
+	if [ "$sum" -ge 1000 ]; then
 		echo $((sum - sum / 10))
 	else
 		echo "$sum"
`

// pictures are the frames of the README. Each has a separate screen.
var pictures = map[string]func(*screenplay){
	"question": func(s *screenplay) {
		s.events(chat.TurnStarted{}, chat.UserMessage{Text: "An order of exactly ten euros gets no discount. Repair that."},
			chat.ApprovalRequested{Approval: chat.Approval{
				ID: 1, Tool: "replace", Always: "edits of *.sh files",
				Preview: tools.Preview{Title: "edit till.sh", Diff: tillDiff, Paths: []string{"till.sh"}},
			}})
		s.events(chat.StatusChanged{Status: chat.Status{Model: "demo", Tokens: 6_400, Limit: 32_768, Threshold: 27_800, Mode: gate.ModeAsk, Freed: 590}})
		s.update(branchMsg("main*"))
		s.wait(time.Second)
	},
}

// TestPictures compares the pictures of the README with the current program. `make frames` writes
// them.
func TestPictures(t *testing.T) {
	t.Parallel()
	update := flag.Lookup("update").Value.String() == "true"
	for name, play := range pictures {
		for look, ground := range map[string]svg.Colors{style.Dark: svg.Dark, style.Light: svg.Light} {
			t.Run(name+"-"+look, func(t *testing.T) {
				t.Parallel()
				s := newScreenplayFor(t, pictureColumns, 46, func(o *Options) {
					o.Environ = append(o.Environ, "TERM=xterm-256color", "COLORTERM=truecolor")
					o.Settings = func() Settings { return Settings{Theme: look} }
					o.Workspace = "/home/u/till"
					o.Status.Model = "demo"
				})
				play(s)
				rows := append(s.printed, s.model.live...)
				for len(rows) > 0 && rows[0] == "" {
					rows = rows[1:]
				}
				drawn, file := svg.Draw(rows, pictureColumns, ground), filepath.Join("..", "..", "docs", "frames", name+"-"+look+".svg")
				if update {
					if err := os.WriteFile(file, []byte(drawn), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				have, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(have), drawn); diff != "" {
					t.Errorf("%s is not what the program shows; make frames draws it anew (-file +program):\n%s", file, diff)
				}
			})
		}
	}
}
