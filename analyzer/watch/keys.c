// SPDX-License-Identifier: BSD-2-Clause
/* keys.h: the sequences of xterm, the Linux console and vt220. */
#include "keys.h"

/* "ESC [ 5 ~" */
static int key_of_number(unsigned int number)
{
	switch (number) {
	case 1:
	case 7: return KEY_HOME;
	case 4:
	case 8: return KEY_END;
	case 5: return KEY_PAGE_UP;
	case 6: return KEY_PAGE_DOWN;
	}
	return KEY_NONE;
}

/* "ESC [ A", "ESC O A" */
static int key_of_end(unsigned char byte, unsigned int number)
{
	switch (byte) {
	case 'A': return KEY_UP;
	case 'B': return KEY_DOWN;
	case 'H': return KEY_HOME;
	case 'F': return KEY_END;
	case '~': return key_of_number(number);
	}
	return KEY_NONE;
}

int keys_take(struct keys *k, unsigned char byte)
{
	if (byte == '\033') {
		*k = (struct keys){.state = KEYS_ESCAPE};
		return KEY_NONE;
	}
	if (k->state == KEYS_PLAIN)
		return byte;
	if (k->state == KEYS_ESCAPE) {
		k->state = byte == '[' || byte == 'O' ? KEYS_SEQUENCE : KEYS_PLAIN;
		return k->state == KEYS_PLAIN ? byte : KEY_NONE;
	}
	if (byte >= 0x20 && byte < 0x40) {
		if (byte >= '0' && byte <= '9')
			k->number = (k->number * 10 + (byte - '0')) % 1000;
		return KEY_NONE;
	}
	k->state = KEYS_PLAIN;
	return key_of_end(byte, k->number);
}

int keys_waited(struct keys *k)
{
	if (!keys_wait(k))
		return KEY_NONE;
	k->state = KEYS_PLAIN;
	return KEY_ESCAPE;
}
