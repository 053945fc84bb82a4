/* Where the processes of a command listen, for its result. */
#pragma once

struct vt_notification;

/* After listen(2) on the borrowed socket. An address and port that are noted, or that no row is left for, change nothing. */
void vt_open_ports_note(struct vt_notification *notification, int fd);
