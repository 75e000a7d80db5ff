import { spawn } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { hasPython, python, quietEnvironment } from '../../../../fixtures/machine/programs.ts'
import { readProvided } from '../../../../fixtures/machine/provided.ts'
import { createTemporaryFolder } from '../../../../fixtures/machine/temporary-folder.ts'

const clients = fileURLToPath(new URL('../../../../../infra/reference/clients/', import.meta.url))
const localBaseUrl = 'http://127.0.0.1:3000/v1'

const nodeExample = { language: 'typescript', program: process.execPath, example: 'follow-new-pets.ts' }
const pythonExample = { language: 'python', program: python, example: 'follow_new_pets.py' }

/** Copies a client and its examples into a new project, in which one of them calls the environment of the tests. */
const createProject = (language: string, example: string): string => {
  const project = createTemporaryFolder()
  cpSync(join(clients, language), project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  const source = readFileSync(join(project, example), 'utf8')
  expect(source).toContain(localBaseUrl)
  writeFileSync(join(project, example), source.replace(localBaseUrl, readProvided('reference').apiUrl))
  return project
}

// client-packages.test.ts runs example.ts and example.py.
it.each(hasPython() ? [nodeExample, pythonExample] : [nodeExample])(
  '$example prints the new pets',
  async ({ language, program, example }) => {
    const child = spawn(program, [example], { cwd: createProject(language, example), env: quietEnvironment })
    onTestFinished(() => {
      child.kill()
    })

    const { value } = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()

    expect(value).toMatch(/^New: \d+ .+$/)
  },
)
