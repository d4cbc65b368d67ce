package devdb

import (
	"sort"
	"strconv"
	"strings"
)

// temporarySettings suit data that nobody will miss. synchronous_commit stays on:
// it decides when a transaction is seen to be committed, which is what gets tested.
var temporarySettings = map[string]string{
	"fsync":            "off",
	"full_page_writes": "off",
	"wal_level":        "minimal",
	"max_wal_senders":  "0",
	"shared_buffers":   "64MB",
	"max_connections":  "200",
}

// persistentSettings keep the data safe.
var persistentSettings = map[string]string{
	"shared_buffers":  "64MB",
	"max_connections": "200",
}

// configure settles the command line of postgres.
func (s *Server) configure(o Options, defaults map[string]string) error {
	socket, err := s.place.socketDir(s.owner)
	if err != nil {
		return err
	}
	s.socket, s.port = socket, socketPort
	settings := map[string]string{
		"listen_addresses": "",
		// Whoever starts pawl in whatever time zone gets the same texts.
		"timezone":     "UTC",
		"log_timezone": "UTC",
	}
	for name, value := range defaults {
		settings[name] = value
	}
	if o.TCP {
		if s.port, err = freePort(); err != nil {
			return err
		}
		settings["listen_addresses"] = "127.0.0.1"
	}
	for name, value := range o.Settings {
		settings[name] = value
	}
	// Not open to o.Settings: the server would be out of our reach.
	settings["port"] = strconv.Itoa(s.port)
	settings["unix_socket_directories"] = quoteDir(socket)
	settings["unix_socket_permissions"] = "0700"
	for name, value := range settings {
		s.settings = append(s.settings, name+"="+value)
	}
	sort.Strings(s.settings)
	return nil
}

// quoteDir protects a folder with a comma or a blank in the list of folders that
// unix_socket_directories is.
func quoteDir(dir string) string {
	return `"` + strings.ReplaceAll(dir, `"`, `""`) + `"`
}
