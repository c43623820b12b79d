/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses from text and back. */
#include "http/address.h"

#include "base/mem.h"
#include "tap.h"

#include "base/banned.h"

int main(void)
{
	static const struct {
		const char *text, *printed;
		int port;
		bool local;
	} rows[] = {
		{"127.0.0.1:6443", "127.0.0.1:6443", 6443, true},
		{"10.1.2.3:0", "10.1.2.3:0", 0, false},
		{"[::1]:443", "[::1]:443", 443, true},
		{"[fe80::2]:443", "[fe80::2]:443", 443, false},
		{":8080", "[::]:8080", 8080, false},
		{"unix:/tmp/a.sock", "unix:/tmp/a.sock", 0, true},
		{"unix:@abstract", "unix:@abstract", 0, true},
	};
	static const char *const bad[] = {
		"",
		"127.0.0.1",
		"127.0.0.1:",
		"127.0.0.1:65536",
		"::1:80",
		"[::1]",
		"localhost:80",
		"unix:",
		"[]:80",
		"1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17.18.19.20.21:1"};
	char text[ADDRESS_TEXT_SIZE], path[256];
	struct address address = {0};
	struct err err;

	is(address_print(&address, text), "");
	ok(address_port(&address) == 0 && !address_is_unix(&address) && !address_is_local(&address),
	   "no address is nothing");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		ok(address_parse(str_from(rows[i].text), &address, &err) == 0 &&
			   address_port(&address) == rows[i].port &&
			   address_is_local(&address) == rows[i].local &&
			   address_is_unix(&address) == (rows[i].text[0] == 'u'),
		   "%s", rows[i].text);
		is(address_print(&address, text), rows[i].printed);
	}
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		ok(address_parse(str_from(bad[i]), &address, &err) < 0 &&
			   err.code == ERR_BAD_REQUEST,
		   "refuses \"%s\": %s", bad[i], err.text);
	memset(path, 'x', sizeof(path));
	memcpy(path, "unix:", 5);
	ok(address_parse(str_of(path, sizeof(path)), &address, &err) < 0, "a path too long");
	ok(address_parse(STR("unix:/a\0b"), &address, &err) < 0, "a path with NUL");
	return tap_done();
}
