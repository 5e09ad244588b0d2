package settings_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"agent/internal/settings"
)

// A header is identified by its name in one canonical form. Headers that the program sets itself,
// or that would break the request, are refused.
func TestHeaders(t *testing.T) {
	t.Parallel()
	s := newSettings()
	set(t, s, settings.LayerSession, "header.x-title", "my agent")
	set(t, s, settings.LayerFlags, "Header.X-TITLE", "other")
	set(t, s, settings.LayerFlags, "header.X-Region", "eu")
	want := []settings.Header{
		{Key: "header.X-Region", Name: "X-Region", Value: "eu", From: settings.LayerFlags},
		{Key: "header.X-Title", Name: "X-Title", Value: "my agent", From: settings.LayerSession},
	}
	if got := settings.HeadersOf(s); !slices.Equal(got, want) {
		t.Errorf("headers %v", got)
	}
	var keys []string
	for _, resolved := range s.NonDefault() {
		keys = append(keys, resolved.Spec.Key+"="+resolved.Value.String())
	}
	if got := strings.Join(keys, " "); got != "header.X-Region=eu header.X-Title=my agent" {
		t.Errorf("changed: %s", got)
	}
	if _, err := s.Unset(settings.LayerSession, "header.X-TITLE"); err != nil || settings.HeadersOf(s)[1].Value != "other" {
		t.Errorf("after unset: %v, %v", settings.HeadersOf(s), err)
	}
	for key, want := range map[string]string{
		"header.Authorization": "agent login", "header.authorization": "agent login", "header.Cookie": "agent login",
		"header.content-type": "is set by agent", "header.Host": "is set by agent",
		"header.": "valid HTTP header name", "header.a b": "valid HTTP header name", "header.a:b": "valid HTTP header name",
		"header.NAME": "replace NAME", "header.é": "HTTP header name",
	} {
		if err := s.Set(settings.LayerSession, key, "x"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", key, err, want)
		}
	}
	for _, value := range []string{"a\nb", "a\r\nX-Evil: 1", "", "sk-0123456789012345678901234567"} {
		if err := s.Set(settings.LayerSession, "header.X-Ok", value); err == nil {
			t.Errorf("the value %q was taken", value)
		}
	}
}

// An extra body cannot override the essential members of a request.
func TestExtraBody(t *testing.T) {
	t.Parallel()
	s := newSettings()
	set(t, s, settings.LayerSession, "extra-body", ` {"b": [1, 2], "a": "<x>"} `)
	if got := settings.ExtraBody.Value(s); got != `{"a":"<x>","b":[1,2]}` {
		t.Errorf("kept as %s", got)
	}
	set(t, s, settings.LayerSession, "extra-body", `{"seed": 12345678901234567890}`)
	if got := settings.ExtraBody.Value(s); got != `{"seed":12345678901234567890}` {
		t.Errorf("a long number is kept as %s", got)
	}
	for value, want := range map[string]string{
		`{"messages":[]}`: "agent sets itself", `{"Tools":[]}`: "agent sets itself", `{"authorization":"x"}`: "agent sets itself",
		`{"previous_response_id":"x"}`: "agent sets itself", `{"n":2}`: "agent sets itself",
		`[1]`: "must be a JSON object", `{"a":`: "must be a JSON object", `x`: "must be a JSON object",
	} {
		if err := s.Set(settings.LayerSession, "extra-body", value); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", value, err, want)
		}
	}
}

func TestPricesOfTheCatalogue(t *testing.T) {
	t.Parallel()
	s := newSettings()
	known := settings.Prices{Input: 5, Output: 25, CacheRead: 0.5, CacheWrite: 6.25}
	if got, ok := settings.PricesOf(s, &known); !ok || !reflect.DeepEqual(got, known) {
		t.Errorf("%+v, %t", got, ok)
	}
	set(t, s, settings.LayerSession, "price.input", "1")
	if got, ok := settings.PricesOf(s, &known); !ok || !reflect.DeepEqual(got, settings.Prices{Input: 1, Output: 25, CacheRead: 1, CacheWrite: 1}) {
		t.Errorf("with an input price of one's own: %+v, %t", got, ok)
	}
}
