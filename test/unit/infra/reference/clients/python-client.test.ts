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
