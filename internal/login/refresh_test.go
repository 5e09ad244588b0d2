package login

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"agent/internal/llm"
	"agent/internal/testing/require"
)

func init() {
	exchanged := scripted
	exchanged.Name, exchanged.exchange, exchanged.limits = "exchanged", "https://vendor.example/swap", copilotLimits
	accounts = append(accounts, scripted, exchanged)
}

// whole reports whether property tests run at full size.
func whole() bool {
	checks, _ := strconv.Atoi(flag.Lookup("rapid.checks").Value.String())
	return checks >= 1000
}

func sourcesOf(t *testing.T, vendor http.RoundTripper, kept ...Login) *Sources {
	t.Helper()
	s := &Sources{Store: Store{Folder: t.TempDir()}, Now: time.Now, Transport: vendor}
	for _, l := range kept {
		if _, err := s.Save(t.Context(), l); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// TestRefresh lists the answers of a vendor to a refresh, with the results.
func TestRefresh(t *testing.T) {
	t.Parallel()
	const next = `200 {"access_token":"tok-2","refresh_token":"ref-2","expires_in":3600}`
	for _, tt := range []struct {
		name    string
		left    time.Duration // of the stored token, 0 if it does not expire
		refresh string
		refused bool
		answers []string
		key     string
		says    string
		asked   int
		kept    string // the refresh token that is stored afterwards
	}{
		{"fresh", time.Hour, "ref-1", false, nil, "tok-1", "", 0, "ref-1"},
		{"without an end", 0, "", false, nil, "tok-1", "", 0, ""},
		{"6 minutes left", 6 * time.Minute, "ref-1", false, nil, "tok-1", "", 0, "ref-1"},
		{"4 minutes left", 4 * time.Minute, "ref-1", false, []string{next}, "tok-2", "", 1, "ref-2"},
		{"ended", -time.Hour, "ref-1", false, []string{next}, "tok-2", "", 1, "ref-2"},
		{"not rotated", -time.Hour, "ref-1", false, []string{`200 {"access_token":"tok-2","expires_in":3600}`}, "tok-2", "", 1, "ref-1"},
		{"refused", time.Hour, "ref-1", true, []string{next}, "tok-2", "", 1, "ref-2"},
		{"refused, without an end", 0, "ref-1", true, []string{next}, "tok-2", "", 1, "ref-2"},
		{"refused, nothing to refresh with", 0, "", true, nil, "", "agent login scripted", 0, ""},
		{"ended, nothing to refresh with", -time.Hour, "", false, nil, "", "agent login scripted", 0, ""},
		{"4 minutes left, nothing to refresh with", 4 * time.Minute, "", false, nil, "tok-1", "", 0, ""},
		{"used", -time.Hour, "ref-1", false, []string{`400 {"error":"invalid_grant"}`}, "", "log in again: agent login scripted", 1, "ref-1"},
		{"used, 4 minutes left", 4 * time.Minute, "ref-1", false, []string{`400 {"error":"invalid_grant"}`}, "", "log in again", 1, "ref-1"},
		{"500, 4 minutes left", 4 * time.Minute, "ref-1", false, []string{"500 {}"}, "tok-1", "", 1, "ref-1"},
		{"500, ended", -time.Hour, "ref-1", false, []string{"500 {}"}, "", "refused the request (500)", 1, "ref-1"},
		{"silence", -time.Hour, "ref-1", false, []string{"silence"}, "", "timed out after 20s", 1, "ref-1"},
		{"lost", -time.Hour, "ref-1", false, []string{"lost"}, "", "no answer from Vendor", 1, "ref-1"},
		{"400", -time.Hour, "ref-1", false, []string{`400 {"error":"invalid_request"}`}, "", "invalid_request", 1, "ref-1"},
		{"no JSON", -time.Hour, "ref-1", false, []string{"200 <html>"}, "", "no JSON object", 1, "ref-1"},
		{"no token", -time.Hour, "ref-1", false, []string{"200 {}"}, "", "no usable token", 1, "ref-1"},
		{"a redirect", -time.Hour, "ref-1", false, []string{"307 "}, "", "refused the request (307)", 1, "ref-1"},
	} {
		synctest.Test(t, func(t *testing.T) {
			vendor := &script{answers: map[string][]string{"/token": tt.answers}}
			l := Login{Account: "scripted", ClientID: "id-1", Access: "tok-1", Refresh: tt.refresh}
			if tt.left != 0 {
				l.Expires = time.Now().Add(tt.left)
			}
			s := sourcesOf(t, vendor, l)
			source, refused := s.Source("scripted"), llm.Key("")
			if tt.refused {
				if _, err := source.Token(t.Context(), ""); err != nil {
					t.Fatal(err)
				}
				refused = "tok-1"
			}
			token, err := source.Token(t.Context(), refused)
			got := fmt.Sprint(err)
			if string(token.Key) != tt.key || !strings.Contains(got, tt.says) || (err == nil) != (tt.says == "") || vendor.count("/token") != tt.asked {
				t.Errorf("%s: %q, %v after %d requests", tt.name, string(token.Key), err, vendor.count("/token"))
			}
			if failure, is := errors.AsType[*llm.Error](err); err != nil && (!is || strings.Contains(got, "tok-1") || strings.Contains(got, "ref-1")) {
				t.Errorf("%s: %#v", tt.name, failure)
			}
			if kept, found, err := s.Store.Get("scripted"); !found || err != nil || kept.Refresh != tt.kept {
				t.Errorf("%s: kept is %+v, %v", tt.name, kept, err)
			}
		})
	}
}

// TestTokensOfMinutes checks short-lived tokens. If the lifetime is shorter than the usual time
// before a refresh, the token is refreshed at half of its lifetime. expires_in may have any value.
func TestTokensOfMinutes(t *testing.T) {
	t.Parallel()
	for expires, renewed := range map[string]time.Duration{
		"3600": 55 * time.Minute, `"3600"`: 55 * time.Minute, "400": 200 * time.Second, "60": 30 * time.Second, "1": time.Second / 2,
		"0": 0, "-5": 0, `"soon"`: 0, "99999999999999": 0, "[]": 0, "1e3": 700 * time.Second, "0.5": 0,
	} {
		synctest.Test(t, func(t *testing.T) {
			vendor := &script{answers: map[string][]string{"/code": {codes}, "/token": {strings.Replace(tokens, "3600", expires, 1)}}}
			s := sourcesOf(t, vendor)
			l, err := scripted.Login(t.Context(), vendor, "id", Prompter{Device: true, Now: time.Now, Show: func(context.Context, string, string) error { return nil }})
			if err == nil {
				_, err = s.NewSource(l).Token(t.Context(), "")
			}
			if err == nil {
				_, err = s.Save(t.Context(), l)
			}
			asked := vendor.count("/token")
			for _, wait := range []time.Duration{0, renewed - time.Second/10, time.Second / 5} {
				time.Sleep(wait)
				if _, wrong := s.Source("scripted").Token(t.Context(), ""); err == nil {
					err = wrong
				}
				if again := vendor.count("/token") - asked; err != nil || (again > 0) != (renewed > 0 && wait == time.Second/5) {
					t.Errorf("expires_in %s: %d refreshes after %s, %v", expires, again, wait, err)
				}
			}
		})
	}
}

// TestFinishWaitsForARefresh checks that the tokens of an interrupted request are stored before the
// program ends, and that Finish does not wait long for a vendor that does not answer.
func TestFinishWaitsForARefresh(t *testing.T) {
	t.Parallel()
	for _, answers := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			vendor := &script{answers: map[string][]string{"/token": {`200 {"access_token":"tok-2","refresh_token":"ref-2","expires_in":3600}`}}}
			release := make(chan struct{})
			s := sourcesOf(t, transport(func(request *http.Request) (*http.Response, error) {
				<-release
				return vendor.RoundTrip(request)
			}), Login{Account: "scripted", ClientID: "id-1", Access: "tok-1", Refresh: "ref-1", Expires: time.Now()})
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _, _ = s.Source("scripted").Token(ctx, "") }()
			synctest.Wait()
			cancel()
			began, finished := time.Now(), make(chan struct{})
			go func() { s.Finish(); close(finished) }()
			synctest.Wait()
			select {
			case <-finished:
				t.Error("Finish does not wait for the refresh")
			default:
			}
			if answers {
				close(release)
			}
			<-finished
			if took := time.Since(began); (took == finishTime) == answers {
				t.Errorf("Finish returns after %s; the vendor answers: %t", took, answers)
			}
			if kept, _, err := s.Store.Get("scripted"); err != nil || (kept.Refresh == "ref-2") != answers {
				t.Errorf("stored: %+v, %v; the vendor answers: %t", kept, err, answers)
			}
			if !answers {
				close(release)
				s.Finish() // nothing writes into the folder after the test
			}
		})
	}
}

// TestRefreshUsedMeanwhile checks that the login is read again once if another machine has used its
// refresh token.
func TestRefreshUsedMeanwhile(t *testing.T) {
	t.Parallel()
	old := Login{Account: "scripted", Access: "tok-1", Refresh: "ref-1", Expires: time.Now().Add(-time.Hour)}
	var s *Sources
	s = sourcesOf(t, transport(func(request *http.Request) (*http.Response, error) {
		next := old
		next.Access, next.Refresh, next.Expires = "tok-2", "ref-2", time.Now().Add(time.Hour)
		if _, err := s.Store.Set(next); err != nil { // without the lock, like another machine
			t.Error(err)
		}
		return &http.Response{StatusCode: 400, Body: io.NopCloser(strings.NewReader(`{"error":"invalid_grant"}`)), Request: request}, nil
	}), old)
	if token, err := s.Source("scripted").Token(t.Context(), ""); err != nil || token.Key != "tok-2" {
		t.Error(token, err)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// TestOneRefresh checks many programs that share a login that is about to expire. One refreshes it
// and the others read the result, so that a vendor that accepts each refresh token once refuses
// none.
func TestOneRefresh(t *testing.T) {
	t.Parallel()
	programs, rounds := 20, 5
	if whole() {
		programs, rounds = 50, 200
	}
	var mu sync.Mutex
	asked, at := 0, 0
	vendor := transport(func(request *http.Request) (*http.Response, error) {
		text, _ := io.ReadAll(request.Body)
		form, _ := url.ParseQuery(string(text))
		mu.Lock()
		defer mu.Unlock()
		asked++
		status, body := 400, `{"error":"invalid_grant"}`
		if form.Get("refresh_token") == fmt.Sprint("ref-", at) {
			at++
			status, body = 200, fmt.Sprintf(`{"access_token":"tok-%d","refresh_token":"ref-%d","expires_in":3600}`, at, at)
		}
		return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body)), Request: request}, nil
	})
	store := sourcesOf(t, vendor, Login{Account: "scripted", Access: "tok-0", Refresh: "ref-0", Expires: time.Now().Add(time.Minute)}).Store
	for round := range rounds {
		var group sync.WaitGroup
		for range programs {
			group.Go(func() {
				now := func() time.Time { return time.Now().Add(time.Duration(round) * time.Hour) }
				token, err := (&Sources{Store: store, Now: now, Transport: vendor}).Source("scripted").Token(t.Context(), "")
				if err != nil || token.Key != llm.Key(fmt.Sprint("tok-", round+1)) {
					t.Error(string(token.Key), err)
				}
			})
		}
		group.Wait()
	}
	if asked != rounds {
		t.Errorf("%d refreshes in %d rounds", asked, rounds)
	}
	t.Log(programs, "programs,", rounds, "rounds,", asked, "refreshes")
}

// TestExchange checks a token that is exchanged for another one at an address from the vendor.
func TestExchange(t *testing.T) {
	t.Parallel()
	const short = `200 {"token":"short-1","refresh_in":1500,"endpoints":{"api":"https://eu.api.vendor.example"}}`
	for _, tt := range []struct {
		name      string
		swaps     []string
		refresh   string
		key, base string
		says      string
	}{
		{"good", []string{short}, "", "short-1", "https://eu.api.vendor.example", ""},
		{"without an address", []string{`200 {"token":"short-1","expires_at":99999999999}`}, "", "short-1", "", ""},
		{"another's address", []string{`200 {"token":"short-1","endpoints":{"api":"https://api.vendor.example.evil.example"}}`}, "", "", "", "an API address on an unknown host"},
		{"plain http", []string{`200 {"token":"short-1","endpoints":{"api":"http://api.vendor.example"}}`}, "", "", "", "an API address on an unknown host"},
		{"no subscription", []string{`403 {"message":"no","error_details":{"message":"no access to Copilot"}}`}, "", "", "", "refused the request (403): no: no access to Copilot"},
		{"refused", []string{`401 {"message":"Bad credentials"}`}, "", "", "", "log in again: agent login exchanged"},
		{"refused once", []string{`401 {}`, short}, "ref-1", "short-1", "https://eu.api.vendor.example", ""},
		{"no token", []string{`200 {}`}, "", "", "", "no usable token"},
		{"500", []string{`500 {}`}, "", "", "", "refused the request (500)"},
	} {
		synctest.Test(t, func(t *testing.T) {
			vendor := &script{answers: map[string][]string{"/swap": tt.swaps, "/token": {tokens}}}
			s := sourcesOf(t, vendor, Login{Account: "exchanged", Access: "long-1", Refresh: tt.refresh})
			token, err := s.Source("exchanged").Token(t.Context(), "")
			if got := fmt.Sprint(err); string(token.Key) != tt.key || token.Base != tt.base || (err == nil) != (tt.says == "") || !strings.Contains(got, tt.says) {
				t.Errorf("%s: %q at %q, %v", tt.name, string(token.Key), token.Base, err)
			}
			if tt.name != "good" {
				return
			}
			time.Sleep(24 * time.Minute)
			_, _ = s.Source("exchanged").Token(t.Context(), "")
			if vendor.count("/swap") != 1 {
				t.Errorf("exchanged %d times", vendor.count("/swap"))
			}
			time.Sleep(2 * time.Minute)
			_, _ = s.Source("exchanged").Token(t.Context(), "")
			_, _ = s.Source("exchanged").Token(t.Context(), "short-1")
			if vendor.count("/swap") != 3 {
				t.Errorf("exchanged %d times", vendor.count("/swap"))
			}
		})
	}
}

// TestStore checks where logins are stored, which data is stored, and which logins are ignored.
func TestStore(t *testing.T) {
	t.Parallel()
	s := Store{Folder: t.TempDir()}
	if all, err := s.All(); len(all) > 0 || err != nil {
		t.Error(all, err)
	}
	set := func(l Login) {
		t.Helper()
		if err := s.WithLock(t.Context(), func() error { _, err := s.Set(l); return err }); err != nil {
			t.Fatal(err)
		}
	}
	set(Login{Account: "scripted", Access: "tok-1", Name: "me"})
	set(Login{Account: "scripted", As: "work", Access: "tok-2"})
	all, err := s.All()
	if err != nil || len(all) != 2 || all[0].Title() != "scripted (me)" || all[1].ID() != "scripted:work" {
		t.Error(all, err)
	}
	require.Mode(t, s.File(), 0o600)
	spoils := map[string]func() error{
		"other users can read it": func() error { return os.Chmod(s.File(), 0o644) },
		"it is damaged":           func() error { return os.WriteFile(s.File(), []byte("{"), 0o600) },
	}
	if !require.Unix {
		delete(spoils, "other users can read it")
	}
	for what, spoil := range spoils {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, found, err := s.Get("scripted"); found || err == nil || !strings.Contains(err.Error(), what) {
			t.Error(what, err)
		}
		token, err := (&Sources{Store: s, Now: time.Now}).Source("scripted").Token(t.Context(), "")
		if err == nil || !strings.Contains(err.Error(), what) {
			t.Error(token, err)
		}
		set(Login{Account: "scripted", Access: "tok-3"})
		if l, found, err := s.Get("scripted"); !found || err != nil || l.Access != "tok-3" {
			t.Error(l, err)
		}
		if _, err := os.Stat(s.File() + ".old"); err != nil {
			t.Error(err)
		}
	}
}

// TestLoginHoldsForTheRun checks that a refreshed login that cannot be stored is used for this run,
// with a warning.
func TestLoginHoldsForTheRun(t *testing.T) {
	t.Parallel()
	require.Permissions(t)
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	vendor := &script{answers: map[string][]string{"/token": {tokens}}}
	s := sourcesOf(t, vendor, Login{Account: "scripted", Access: "tok-0", Refresh: "ref-0", Expires: time.Now()})
	var said []string
	s.Say = func(line string) { said = append(said, line) }
	if err := os.Chmod(s.Store.Folder, 0o500); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if token, err := s.Source("scripted").Token(t.Context(), ""); err != nil || token.Key != "tok-1" {
			t.Error(token, err)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "can be used in this run only") || vendor.count("/token") != 1 {
		t.Error(said)
	}
}

// TestLogout revokes the token and deletes the login, whatever the vendor answers.
func TestLogout(t *testing.T) {
	t.Parallel()
	for answer, says := range map[string]string{"200 ": "<nil>", "500 {}": "refused the request (500)", "lost": "no answer from Vendor", "silence": "after 20s"} {
		synctest.Test(t, func(t *testing.T) {
			vendor := &script{answers: map[string][]string{"/revoke": {answer}}}
			s := sourcesOf(t, vendor, Login{Account: "scripted", Access: "tok-1", Refresh: "ref-1", ClientID: "id"})
			source := s.Source("scripted")
			if _, err := source.Token(t.Context(), ""); err != nil {
				t.Error(err)
			}
			found, unrevoked, err := s.Logout(t.Context(), "scripted")
			if token, err := source.Token(t.Context(), ""); err == nil || token.Key != "" {
				t.Error("after a logout the token is used", token, err)
			}
			if !found || err != nil || !strings.Contains(fmt.Sprint(unrevoked), says) || vendor.forms[0].Get("token") != "ref-1" {
				t.Error(answer, found, unrevoked, err, vendor.forms)
			}
			if _, found, _ := s.Store.Get("scripted"); found {
				t.Error("it is kept")
			}
			if found, _, err := s.Logout(t.Context(), "scripted"); found || err != nil {
				t.Error(found, err)
			}
		})
	}
}

// TestSignALogin checks that tokens are sent only to the hosts of the account, that a 401 causes
// one refresh, and that rate limits are read.
func TestSignALogin(t *testing.T) {
	t.Parallel()
	answers := []string{
		"200 [X-Usage-Ratelimit-Session: rem=20&ent=50&rst=2026-06-01T14:00:00Z] ok", "401 {}", "200 ok",
		"429 [X-Quota-Snapshot-Premium_interactions: rem=0&ent=300&rst=2099-06-01T14:00:00Z] {}", "429 {}",
	}
	vendor := &script{answers: map[string][]string{"/swap": {`200 {"token":"short-1","refresh_in":1500,"endpoints":{"api":"https://eu.api.vendor.example"}}`}, "/v1/chat": answers}}
	s := sourcesOf(t, vendor, Login{Account: "exchanged", Access: "long-1"})
	client := &http.Client{Transport: Sign(vendor, "https://api.vendor.example/v1", s.Source("exchanged"), func(llm.Key) {})}
	post := func(address string) (int, error) {
		request, err := http.NewRequestWithContext(context.Background(), http.MethodPost, address, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		response, err := client.Do(request)
		if err != nil {
			return 0, err
		}
		return response.StatusCode, nil
	}
	const chat = "https://api.vendor.example/v1/chat"
	if status, err := post(chat); status != 200 || err != nil || !vendor.hosts["eu.api.vendor.example"] || vendor.hosts["api.vendor.example"] {
		t.Error(status, err, vendor.hosts)
	}
	limited, _ := s.Source("exchanged").(LimitedSource)
	if left := DescribeWindows(limited.Limits(), time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)); left != "session: 80 % used, resets 14:00" {
		t.Error(left)
	}
	if status, err := post(chat); status != 200 || err != nil || vendor.count("/swap") != 2 {
		t.Error(status, err, vendor.asked)
	}
	_, err := post(chat)
	failure, _ := errors.AsType[*llm.Error](err)
	if !errors.Is(err, ErrLimit) || failure == nil || failure.RetryAfter <= 0 || !strings.Contains(err.Error(), "the limit of Vendor (premium requests) is reached; it resets 2099-06-01") {
		t.Error(err)
	}
	for _, address := range []string{"https://evil.example/v1/chat", "http://api.vendor.example/v1/chat", "https://api.vendor.example.evil.example/v1/chat"} {
		if _, err := post(address); err == nil || !strings.Contains(err.Error(), "is not sent to") {
			t.Error(address, err)
		}
	}
	for host := range vendor.hosts {
		if strings.Contains(host, "evil") {
			t.Error(host)
		}
	}
}

// TestLimits reads the rate limit headers of vendors, including unusual ones.
func TestLimits(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		read    func(http.Header, time.Time) []LimitWindow
		headers string
		want    string
	}{
		{chatGPTLimits, "X-Codex-Primary-Used-Percent: 37.4|X-Codex-Primary-Window-Minutes: 300|X-Codex-Primary-Reset-After-Seconds: 7800|X-Codex-Secondary-Used-Percent: 61|X-Codex-Secondary-Window-Minutes: 10080", "5 h: 37 % used, resets 14:10; week: 61 % used"},
		{chatGPTLimits, "X-Codex-Primary-Used-Percent: 100|X-Codex-Primary-Reset-At: 1780405200", "limit: 100 % used, resets 2026-06-02 13:00"},
		{chatGPTLimits, "X-Codex-Primary-Used-Percent: NaN|X-Codex-Secondary-Used-Percent: -1", ""},
		{chatGPTLimits, "X-Codex-Primary-Used-Percent: 9e99|X-Codex-Secondary-Used-Percent: 400", "limit: 100 % used"},
		{chatGPTLimits, "", ""},
		{copilotLimits, "X-Quota-Snapshot-Premium_interactions: ent=300&ov=0.0&ovPerm=true&rem=88.5&rst=2026-06-30T21:00:00Z", "premium requests: 12 % used, resets 2026-06-30 21:00"},
		{copilotLimits, "X-Quota-Snapshot-Premium_interactions: rem=200|X-Usage-Ratelimit-Weekly: %zz", ""},
	} {
		header := http.Header{}
		for line := range strings.SplitSeq(tt.headers, "|") {
			if name, value, found := strings.Cut(line, ": "); found {
				header.Set(name, value)
			}
		}
		if got := DescribeWindows(tt.read(header, now), now); got != tt.want {
			t.Errorf("%s: %q", tt.headers, got)
		}
	}
}

// TestAnyLimits checks that for any headers the used share is between 0 and 100 percent and the
// description is one line.
func TestAnyLimits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		header := http.Header{}
		value := rapid.OneOf(rapid.String(), rapid.StringMatching(`[0-9eE.+-]{0,8}`), rapid.StringMatching(`rem=[0-9.e-]{0,5}&ent=[0-9.e-]{0,9}&rst=.{0,20}`))
		for _, name := range []string{"X-Codex-Primary-Used-Percent", "X-Codex-Primary-Window-Minutes", "X-Codex-Primary-Reset-At", "X-Quota-Snapshot-Premium_models", "X-Usage-Ratelimit-Session"} {
			header.Set(name, value.Draw(t, name))
		}
		now := time.Unix(1_800_000_000, 0)
		windows := append(chatGPTLimits(header, now), copilotLimits(header, now)...)
		for _, w := range windows {
			if !(w.Used >= 0 && w.Used <= 100) {
				t.Fatalf("%+v", w)
			}
		}
		if line := DescribeWindows(windows, now); strings.ContainsAny(line, "\r\n\x1b") {
			t.Fatalf("%q", line)
		}
	})
}
