package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestLoginOnTheScreen logs in and out within a session. The screen shows the code and its address.
// Esc and Ctrl+C end only the login, and the pasted address of another login is refused. The
// session uses a stored login until the user removes it, and keeps its settings.
func TestLoginOnTheScreen(t *testing.T) {
	t.Parallel()
	slowCodes := strings.Replace(deviceCodes, `"interval":1`, `"interval":60`, 1) // for the login that Esc ends
	p := newPerson(t, strings.Join([]string{slowCodes, deviceCodes, kimiTokens, kimiModels, kimiReply, gptTokens, gptModels}, "\n"))
	s := startWith(t, p.home, p.environ(), "agent", "--provider", "kimi", "-m", "m")
	say := func(line, want string) {
		t.Helper()
		s.press(line + "\r")
		s.untilFolded(want)
	}
	back := func() { // waits until the screen is back
		t.Helper()
		s.until("Ask for something")
	}
	s.until("Ask for something")
	say("hi", "no login kimi is stored; log in: agent login kimi")
	say("/set temperature 0.3", "temperature = 0.3")
	say("/login", "/login · all")
	s.press("q")
	say("/login claude", "Claude")
	s.press("/login groq\r")
	s.until("API key for api.groq.com")
	s.press("gsk_typed\x1b")
	s.until("No key was stored.")
	s.press("/login groq\r")
	s.until("API key for api.groq.com")
	s.press("gsk_typed\r")
	s.untilFolded("The key for api.groq.com is stored in")
	if shown := s.until("Ask for something"); slices.ContainsFunc(strings.Split(shown, "\n"), func(row string) bool { return strings.TrimSpace(row) == ">" }) {
		t.Errorf("an empty line is shown as typed:\n%s", shown)
	}
	if text := strings.Join(s.screen.Lines(), "\n"); strings.Contains(text, "gsk_typed") {
		t.Errorf("the key is shown:\n%s", text)
	}
	say("/login chatgpt --client-id own --paste", "paste the address that the browser shows")
	say("http://127.0.0.1:1/callback?state=x&code=y", "the address is from another login attempt")
	back()
	s.press("/login chatgpt --client-id first --paste\r")
	s.untilFolded("client_id=first")
	s.untilFolded("that the browser shows:")
	s.press("\x03")
	s.untilFolded("agent: interrupted")
	back()
	s.press("/login kimi --client-id own\r")
	s.untilFolded("type the code K-1 there")
	s.until("Esc cancels the login")
	s.press("\x1b")
	s.untilFolded("Login canceled; nothing was stored.")
	back()
	if _, err := os.Stat(p.logins()); err == nil {
		t.Error("a login is kept")
	}
	say("/login kimi --client-id own", "You are logged in to Kimi")
	back()
	say("hello", "hello from kimi")
	say("/set temperature", "temperature = 0.3 (/set)")
	if text := strings.Join(s.screen.Lines(), "\n"); strings.Contains(text, "is not set again") {
		t.Errorf("the session was resumed:\n%s", text)
	}
	say("/logout kimi", "Deleted the login kimi.")
	say("still there?", "type /retry")
	if n := strings.Count(strings.Join(s.screen.Lines(), "\n"), "hello from kimi"); n != 1 {
		t.Errorf("the model has answered %d times:\n%s", n, strings.Join(s.screen.Lines(), "\n"))
	}
	p.leaks(t, "screen", strings.Join(s.screen.Lines(), "\n"))
}
