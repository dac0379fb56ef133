/*
 * What the child of a fork finds in pages.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#define VM_INHERIT_NONE 2
