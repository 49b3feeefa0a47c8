/* A treap: a search tree by address and a heap by a priority that is a hash of the address, so that its shape is
 * random, and yet the same in every run. Each node knows the widest hole between the regions of its subtree. */
#include "guest/memory_map.h"

static uint32_t priority_of(uint64_t start)
{
	uint64_t x = (start >> GUEST_PAGE_BITS) * 0x9e3779b97f4a7c15ull;

	return (uint32_t)((x ^ x >> 29) * 0xbf58476d1ce4e5b9ull >> 32);
}

static uint64_t at_least(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static struct region *update(struct region *r)
{
	r->low = r->left ? r->left->low : r->start;
	r->high = r->right ? r->right->high : r->end;
	r->gap = 0;
	if (r->left)
		r->gap = at_least(r->left->gap, r->start - r->left->high);
	if (r->right)
		r->gap = at_least(r->gap, at_least(r->right->gap, r->right->low - r->end));
	return r;
}

struct region *region_tree_join(struct region *low, struct region *high)
{
	if (!low || !high)
		return low ? low : high;
	if (low->priority > high->priority) {
		low->right = region_tree_join(low->right, high);
		return update(low);
	}
	high->left = region_tree_join(low, high->left);
	return update(high);
}

void region_tree_cut(struct region *tree, uint64_t address, struct region **low, struct region **high)
{
	if (!tree) {
		*low = *high = NULL;
	} else if (tree->start < address) {
		region_tree_cut(tree->right, address, &tree->right, high);
		*low = update(tree);
	} else {
		region_tree_cut(tree->left, address, low, &tree->left);
		*high = update(tree);
	}
}

void region_tree_alone(struct region *r)
{
	r->left = r->right = NULL;
	r->priority = priority_of(r->start);
	update(r);
}

struct region *region_tree_from(struct region *tree, uint64_t address)
{
	struct region *found = NULL;

	while (tree) {
		if (tree->end > address) {
			found = tree;
			tree = tree->left;
		} else {
			tree = tree->right;
		}
	}
	return found;
}

static uint64_t hole_between(uint64_t low, uint64_t high, uint64_t length, uint64_t limit)
{
	if (high > limit)
		high = limit;
	return high > low && high - low >= length ? high : 0;
}

/* Highest first: right subtree, the hole before it, the hole after the left subtree, left subtree. A subtree without a
 * hole that is wide enough is not entered; the limit can spoil at most one of those that are. */
uint64_t region_tree_hole(const struct region *tree, uint64_t length, uint64_t limit)
{
	uint64_t found;

	if (!tree || tree->gap < length || tree->low >= limit)
		return 0;
	if (tree->right) {
		found = region_tree_hole(tree->right, length, limit);
		if (!found)
			found = hole_between(tree->end, tree->right->low, length, limit);
		if (found)
			return found;
	}
	if (!tree->left)
		return 0;
	found = hole_between(tree->left->high, tree->start, length, limit);
	return found ? found : region_tree_hole(tree->left, length, limit);
}
