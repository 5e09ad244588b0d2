package reachlog

import "testing"

func TestNear(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{
		"example.com": false, "A.Example.COM.": false, "1.1.1.1": false, "2606:4700::1111": false, "x1.example": false, "sso": false, "login.corp.internal": false,
		"localhost": true, "a.localhost": true,
		"127.0.0.1": true, "[::1]": true, "::ffff:127.0.0.1": true, "10.1.2.3": true, "192.168.0.1": true, "169.254.169.254": true, "fe80::1": true, "fd00::1": true,
		"0.0.0.0": true, "127.1": true, "0x7f.0x1": true, "2130706433": true, "": true,
	} {
		if got := IsLocal(host); got != want {
			t.Errorf("%q is near: %v", host, got)
		}
	}
}
