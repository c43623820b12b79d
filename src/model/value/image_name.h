/* SPDX-License-Identifier: Apache-2.0 */
/* model/value/image_name.h - names of container images: [domain[:port]/]path[:tag][@digest]. */
#ifndef MODEL_IMAGE_NAME_H
#define MODEL_IMAGE_NAME_H

#include <stdbool.h>

#include "base/str.h"

/* Is its tag `latest`, or does it have neither tag nor digest? Never true for a text that is not an
 * image name. */
bool image_name_is_latest(struct str image);

#endif
