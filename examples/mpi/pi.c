/* SPDX-License-Identifier: Apache-2.0 */
/* pi - MPI: every rank adds up its part of the integral of 4 / (1 + x^2) from 0 to 1, rank 0 prints the
 * sum, and who took part. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 10000000 };

static double part(int rank, int ranks)
{
	const double width = 1.0 / STEPS;
	double sum = 0;

	for (int i = rank; i < STEPS; i += ranks) {
		double x = (i + 0.5) * width;

		sum += 4.0 / (1.0 + x * x);
	}
	return sum * width;
}

int main(int argc, char **argv)
{
	char name[MPI_MAX_PROCESSOR_NAME] = "";
	double own, sum = 0;
	int rank, ranks, len;
	char *names;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	MPI_Get_processor_name(name, &len);
	names = calloc((size_t)ranks, sizeof(name));
	own = part(rank, ranks);
	MPI_Reduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Gather(name, sizeof(name), MPI_CHAR, names, sizeof(name), MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		printf("pi is about %.9f\n", sum);
		for (int i = 0; i < ranks; i++)
			printf("rank %d ran on %s\n", i, names + (size_t)i * sizeof(name));
	}
	free(names);
	MPI_Finalize();
	return 0;
}
