/*
 * How thread_switch waits.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#pragma once
#define SWITCH_OPTION_WAIT 2
