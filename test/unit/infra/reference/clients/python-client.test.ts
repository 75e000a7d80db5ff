import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { hasPython, python, runProgram } from './programs.ts'

const clientFolder = fileURLToPath(new URL('../../../../../infra/reference/clients/python/', import.meta.url))

// The limits are tested in hostile.test.ts with shorter ones.
it.skipIf(!hasPython())('an attempt of the Python client ends after 30 seconds by default', async () => {
  const program = `
import inspect
from pet_adoption import PetAdoptionClient
print(inspect.signature(PetAdoptionClient).parameters["timeout"].default)`

  const output = await runProgram(python, ['-c', program], clientFolder)

  expect(output).toBe('30\n')
})

/** Prints the error of a client that is made with the arguments. */
const writeProgram = (clientArguments: string): string => `
from pet_adoption import PetAdoptionClient
try:
    PetAdoptionClient(${clientArguments})
except ValueError as error:
    print(error)
`

it.skipIf(!hasPython()).each([
  { clientArguments: '"http://127.0.0.1/v1", "key", attempts=float("nan")', problem: 'attempts must be 1 or more.' },
  { clientArguments: '"http://127.0.0.1/v1", "key", attempts=0', problem: 'attempts must be 1 or more.' },
  { clientArguments: '"http://127.0.0.1/v1", "key", timeout=0', problem: 'timeout must be more than 0.' },
  { clientArguments: '"http://127.0.0.1/v1", "key", timeout=float("nan")', problem: 'timeout must be more than 0.' },
  { clientArguments: '"http://127.0.0.1/v1?a=b", "key"', problem: 'base_url must be a URL such as' },
  { clientArguments: '"ftp://127.0.0.1/v1", "key"', problem: 'base_url must be a URL such as' },
  { clientArguments: '"http://127.0.0.1/v1", "secret\\n"', problem: 'api_key has a character that no API key has.' },
])('a client refuses the arguments $clientArguments', async ({ clientArguments, problem }) => {
  const output = await runProgram(python, ['-c', writeProgram(clientArguments)], clientFolder)

  expect(output).toContain(problem)
  expect(output).not.toContain('secret')
})
