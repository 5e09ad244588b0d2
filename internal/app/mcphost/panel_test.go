package mcphost

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"agent/internal/command"
	"agent/internal/extend/mcp"
	"agent/internal/extend/mcp/bridge"
	"agent/internal/extend/mcp/catalogue"
	"agent/internal/extend/setup/servers"
	"agent/internal/extend/setup/trustedfile"
	"agent/internal/settings"
)

// noKeys stores no login.
type noKeys struct{}

func (noKeys) Get(string) string           { return "" }
func (noKeys) Set(string, string) error    { return nil }
func (noKeys) Delete(string) (bool, error) { return false, nil }

// /mcp is a panel. A key turns a server off and on, at once and in its file. A server that is off
// does not reconnect and cannot log in. A server that waits for consent opens the prompt that shows
// its whole configuration.
func TestPanel(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	config, work := filepath.Join(root, "config"), filepath.Join(root, "work")
	for _, dir := range []string{config, filepath.Join(work, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	file := servers.UserFile(config)
	for path, text := range map[string]string{
		file:                      `{"mcpServers": {"mine": {"command": "/nowhere/at/all"}, "web": {"url": "http://127.0.0.1:1/mcp"}}}`,
		servers.ProjectFile(work): `{"mcpServers": {"theirs": {"command": "x"}}}`,
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	found, err := servers.Find(servers.Locations{Locations: trustedfile.Locations{Config: config, Home: root, Workspace: work}})
	if err != nil {
		t.Fatal(err)
	}
	configured := &ConfiguredServers{Listing: found, LaunchContext: LaunchContext{Lookup: func(string) (string, bool) { return "", false }, Workspace: work, Catalogue: catalogue.Store{Dir: t.TempDir()}}}
	if (&Servers{}).ServerChoiceList() != nil {
		t.Error("a panel without servers")
	}
	s := New(Config{
		Settings: settings.New(settings.NewRegistry(settings.All(), nil)), Window: func() int { return 128_000 },
		Logins: &mcp.Logins{Keys: noKeys{}, Folder: t.TempDir()}, OnFreeze: func([]bridge.OfferedTool) {}, Tell: func(string) {}, Unattended: true,
	}, configured, nil)
	t.Cleanup(func() { _ = s.Close() })
	s.WaitReady(t.Context())
	row := func(name string) command.Choice {
		t.Helper()
		for _, c := range s.ServerChoiceList().Choices {
			if c.Name == name {
				return c
			}
		}
		t.Fatalf("no %s", name)
		return command.Choice{}
	}
	press := func(key, name string) error {
		t.Helper()
		for _, a := range s.ServerChoiceList().Actions {
			if a.Key == key {
				_, err := a.Run(row(name), "")
				return err
			}
		}
		t.Fatalf("no %s", key)
		return nil
	}
	if mine := row("mine"); mine.Line != "/mcp mine" || !strings.HasPrefix(mine.Help, "○ ") || !strings.HasSuffix(mine.Help, "yours") || !strings.Contains(mine.Preview(), "/nowhere/at/all") {
		t.Errorf("%+v\n%s", mine, mine.Preview())
	}
	if err := press("ctrl+t", "mine"); err == nil || !strings.Contains(err.Error(), "/nowhere/at/all") {
		t.Errorf("reconnecting: %v", err)
	}
	if err := press("ctrl+o", "web"); err == nil || !strings.Contains(err.Error(), "agent mcp login web") {
		t.Errorf("a login without a browser: %v", err)
	}
	if err := press("ctrl+x", "mine"); err != nil || !strings.Contains(row("mine").Help, "it is disabled") {
		t.Errorf("%v: %q", err, row("mine").Help)
	}
	if text, _ := os.ReadFile(file); !strings.Contains(string(text), `"disabled":`) {
		t.Errorf("%s", text)
	}
	s.StartApproved()
	for _, key := range []string{"ctrl+t", "ctrl+o"} {
		if err := press(key, "mine"); err == nil || !strings.Contains(err.Error(), "it is disabled") {
			t.Errorf("%s: %v", key, err)
		}
	}
	wire, err := configured.ToMCPServer(found.ByName("mine")).Prepare(mcp.Server{})
	if err == nil {
		t.Errorf("what is disabled would be started: %+v", wire)
	}
	if err := press("ctrl+x", "mine"); err != nil || strings.Contains(row("mine").Help, "it is disabled") {
		t.Errorf("%v: %q", err, row("mine").Help)
	}
	if text, _ := os.ReadFile(file); strings.Contains(string(text), "disabled") {
		t.Errorf("%s", text)
	}
	if theirs := row("theirs"); theirs.Line != "/trust" || !strings.Contains(theirs.Help, "waits for your approval") {
		t.Errorf("%+v", theirs)
	}
}
