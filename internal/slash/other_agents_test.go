package slash_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"agent/internal/command"
	"agent/internal/slash"
)

// foreignCommands are the commands of other coding agents, according to their documentation of November
// 2026.
var foreignCommands = map[string]string{
	"Claude Code": "add-dir agents allowed-tools bashes branch btw bug checkpoint clear color compact config context copy cost diff doctor effort exit export fast feedback fork help hooks ide init insights install-github-app keybindings login logout mcp memory model new output-style permissions plan plugin pr-comments pr_comments privacy-settings quit release-notes remote-control rename resume review rewind sandbox security-review skills stats status statusline tasks terminal-setup theme todos upgrade usage vim voice yolo",
	"codex":       "agent apps approvals clean clear collab compact copy debug-config diff exit experimental fast feedback fork goal hooks ide init keymap logout mcp memories mention model new permissions personality plan ps quit raw rename resume review rollout setup-default-sandbox side skills status statusline stop theme title vim",
	"opencode":    "agents compact connect copy details editor exit export fork help init mcps models new q quit redo rename sessions share skills status summarize themes thinking timeline undo unshare variants workspaces",
	"gemini-cli":  "about agents auth bug chat clear commands compress copy dir directory docs editor extensions footer help hooks ide init mcp memory model permissions plan policies privacy quit restore resume rewind settings setup-github shells skills stats terminal-setup theme tools upgrade vim",
	"pi":          "changelog clone compact copy debug export fork hotkeys import login logout model name new quit reload resume scoped-models session settings share tree trust",
	"aider":       "add architect ask chat-mode clear code commit copy copy-context diff drop edit editor editor-model exit git help lint load ls map map-refresh model models multiline-mode ok paste quit read-only reasoning-effort report reset run save settings test think-tokens tokens undo voice weak-model web",
}

// Each of these commands works here too, or the reply names the equivalent command.
func TestCommandsOfOtherAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	shell := []command.Command{}
	for _, name := range []string{"doctor", "login", "logout", "import", "savings", "review"} { // commands of the program, not of a session
		shell = append(shell, command.Command{Name: name})
	}
	commands := slash.New(t.Context(), *w.deps, shell...)
	var ours []string
	for _, c := range commands.All() {
		ours = append(append(ours, c.Name), c.Aliases...)
	}
	named := regexp.MustCompile(`/([a-z][a-z-]*)`)
	for agent, names := range foreignCommands {
		for _, name := range strings.Fields(names) {
			if slices.Contains(ours, name) {
				continue
			}
			_, err := commands.Run(t.Context(), "/"+strings.ToUpper(name))
			if err == nil || !strings.Contains(err.Error(), "nknown command /") || strings.Contains(err.Error(), "id you mean") {
				t.Errorf("/%s of %s: %v", name, agent, err)
				continue
			}
			_, answer, _ := strings.Cut(err.Error(), ". ")
			for _, mention := range named.FindAllStringSubmatch(answer, -1) {
				if !slices.Contains(ours, mention[1]) && mention[1] != name {
					t.Errorf("/%s of %s is answered with /%s, which is not there: %v", name, agent, mention[1], err)
				}
			}
			for _, setting := range regexp.MustCompile(`/set ([a-z.-]+)`).FindAllStringSubmatch(answer, -1) {
				if _, err := w.settings.Lookup(setting[1]); err != nil {
					t.Errorf("/%s of %s: %v", name, agent, err)
				}
			}
		}
	}
}
