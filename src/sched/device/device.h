/* SPDX-License-Identifier: Apache-2.0 */
/* sched/device/device.h - cards that pods share: what nodes have, what pods ask for, what they hold.
 *
 *	type	a sort of device that is switched on: vGPU, gpu-share, or one word of HAMi's NPUs
 *	pool	the cards of one type on one node, from its annotations
 *	ask	what pods of a class want of each type, from their limits
 *	piece	a part of one card that a task holds, for one of its containers
 *
 * What is used of a card is counted twice, as the capacity of nodes is: now, and soon, when what is being released is
 * free and what is pipelined is taken. Counting goes through the ledger, by the status of the task, so that a statement
 * undoes it exactly. Annotations are kept as they came: with another configuration all of this is read again. */
#ifndef SCHED_DEVICE_H
#define SCHED_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"
#include "json/doc.h"
#include "model/value/dims.h"
#include "sched/device/device_config.h"

struct arena;
struct class;
struct cluster;
struct json_doc;
struct node_info;
struct task;

enum device_kind { DEVICE_VGPU, DEVICE_SHARE, DEVICE_NPU };
struct device_type {
	enum device_kind kind;
	const struct npu_config *npu; /* of DEVICE_NPU */
};
enum { DEVICE_TYPES_MAX = 66 };

enum device_policy { DEVICES_AS_THEY_ARE, DEVICES_BINPACK, DEVICES_SPREAD };

/* --- nodes ------------------------------------------------------------------------------------ */

/* What is chosen now has to be free now and soon. */
enum device_view { DEVICES_NOW, DEVICES_SOON, DEVICE_VIEW_COUNT };

struct card_use {
	int64_t count; /* pieces */
	int64_t memory;
	int64_t cores;
};

struct card {
	struct str id;
	struct str model; /* "NVIDIA-Tesla V100" */
	int64_t count;    /* pieces that it may be shared by */
	int64_t memory;
	int64_t cores;
	bool healthy;
	bool reported; /* those who hold an unhealthy one know */
	bool has_network;
	int64_t network;
	const struct mig_model *mig; /* NULL: is not cut up */
	struct card_use use[DEVICE_VIEW_COUNT];
	uint16_t *instances[DEVICE_VIEW_COUNT]; /* of MIG: users by position, all groups in a row */
};
enum { CARDS_MAX = 1024, CARD_NONE = UINT16_MAX, INSTANCE_NONE = UINT16_MAX };

struct device_pool {
	struct card *cards;
	size_t len;
	bool mig;          /* the mode of the node */
	const char *wrong; /* why the registration is refused; NULL: it is good, or there is none */
};

struct node_devices {
	struct json_doc *notes;    /* what the pools are made of */
	struct arena *arena;       /* the pools' */
	struct device_pool *pools; /* by type; NULL: not read */
	size_t len;
	uint32_t moving;   /* tasks with pieces that are pipelined or releasing */
	int64_t last_time; /* the newest vgpu-time that was given out here, in seconds */
};

/* --- pods ------------------------------------------------------------------------------------- */

enum { PERCENT_NONE = -1 };
struct container_ask {
	uint16_t container; /* its place in the lists of the annotations */
	int64_t count;      /* cards */
	int64_t memory;     /* per card */
	int64_t percent;    /* of a card's memory, wins; PERCENT_NONE: not given */
	int64_t cores;      /* per card */
};
struct type_ask {
	struct container_ask *at;
	size_t len; /* 0: nothing of this type */
};
struct device_ask {
	struct arena *arena;
	struct type_ask *types; /* by type */
	struct str mode;        /* of vGPU nodes; empty: any */
	struct str use_models;  /* "A100,V100"; empty: any */
	struct str no_models;
	struct str use_ids;
	struct str no_ids;
	bool apart; /* no two pods of a group on one card */
};

struct device_piece {
	uint16_t type;
	uint16_t container;
	uint16_t card;     /* CARD_NONE: the node has no card of that id */
	uint16_t instance; /* of MIG, as in card->instances; INSTANCE_NONE */
	int64_t memory;    /* as annotations and queues have it */
	int64_t charged;   /* of the card: of MIG the memory of the instance */
	int64_t cores;
};
struct device_pieces VEC_FIELDS(struct device_piece);

struct task_devices {
	struct json_doc *notes; /* annotations of the pod; NULL: there are none */
	bool assumed;           /* it runs without annotations: these cards are a guess */
	int64_t time;           /* that it was given, in seconds */
	/* In addition to the charge of its class. */
	int64_t more_memory;
	int64_t more_cores;
	struct device_pieces pieces;
};

/* --- all of it -------------------------------------------------------------------------------- */

/* Pods that have all these labels do not share a card with each other. */
struct device_rule {
	struct str *keys;
	struct str *values;
	size_t len;
};
enum { DEVICE_RULES_MAX = 64 };

struct device_settings {
	bool vgpu;
	bool share;  /* of gpu-share: memory */
	bool number; /* ... whole cards */
	bool npu;
	enum device_policy policy;
	const struct device_rule *rules;
	size_t rule_count;
};

struct devices {
	struct arena *arena;
	struct device_settings on;
	struct device_config *config;
	char *problem;    /* with the newest file, if another holds; NULL: none */
	uint64_t number;  /* of settings and file together */
	uint32_t session; /* that used it last */
	struct device_type types[DEVICE_TYPES_MAX];
	size_t type_count;
	int memory_dim, cores_dim; /* of vGPU; DIM_NONE */
	dim_set ignored;           /* dimensions that no request counts */
	bool stale;                /* cards have come or gone: charges of shares of a card */
	struct device_pieces trial;
};

/* --- cards (device_cards.c) ------------------------------------------------------------------- */

/* Count a piece in a view of its card, or take it off (sign -1). */
void card_count(struct card *card, const struct device_piece *piece, enum device_view view,
		int sign);
/* A free instance of at least this memory; false: there is none. The group in use counts, or of an empty card the one
 * that wastes least. */
bool card_find_instance(const struct card *card, enum device_view view, int64_t memory,
			uint16_t *ret_instance, int64_t *ret_memory);
/* Is any instance of it in use? */
bool card_is_cut(const struct card *card, enum device_view view);
/* The instance of "group1-0", or INSTANCE_NONE. */
uint16_t card_parse_instance(const struct card *card, struct str text, int64_t *ret_memory);
/* "[group1-0]" */
void card_print_instance(const struct card *card, uint16_t instance, struct buf *to);
struct card *pool_find_card(const struct device_pool *pool, struct str id, uint16_t *ret_at);
/* What of its memory is asked of a card. */
int64_t card_memory_asked(const struct card *card, const struct container_ask *ask);
/* May a pod of this class use the card at all: model, id, health? */
bool card_suits(const struct card *card, const struct device_type *type,
		const struct device_ask *ask);

/* --- reading (device_read.c) ------------------------------------------------------------------ */

/* The parts of a Node that pools are made of, or NULL. */
struct json_doc *device_node_notes(struct json node);
/* Pools of a node for all types; frees those that were there. */
void device_read_pools(const struct devices *devices, struct node_devices *node);
/* The annotations of a pod that say what it holds, or NULL. */
struct json_doc *device_pod_notes(struct json annotations);
/* What they say; -1: nothing of any type. */
int device_read_pieces(const struct devices *devices, struct task *task);
/* What pods with these limits ask for; NULL: nothing. `pod` has the spec of the class. */
struct device_ask *device_read_ask(const struct devices *devices, struct json pod,
				   struct json annotations);
void device_ask_free(struct device_ask *ask);
/* Memory that an NPU gives for what is asked; 0: more than any card has. The template, if it is one. */
int64_t npu_trim(const struct npu_config *npu, int64_t memory, struct str *ret_template);

/* --- choosing (device_choose.c) --------------------------------------------------------------- */

enum device_answer {
	DEVICES_FIT,
	DEVICES_SHORT, /* others hold too much */
	DEVICES_NEVER, /* these cards can never serve it */
	DEVICES_ABSENT /* the node has none */
};
struct device_choice {
	enum device_answer answer;
	size_t type;  /* that did not fit */
	double score; /* of the chosen cards */
};
/* Cards for a task on a node; the pieces are in devices->trial until the next call. */
struct device_choice cards_choose(struct cluster *cluster, const struct task *task,
				  const struct node_info *node, enum device_view view);

#endif
