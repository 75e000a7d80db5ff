import { expect, it } from 'vitest'
import { hasCurl, hasPython, python, runCurl, runProgram } from '../../../fixtures/machine/programs.ts'
import { findSection, readCodeBlocks, readPage } from '../../../fixtures/reference/page-text.ts'

const [documentation = ''] = findSection(await readPage(), 'createPet').split('<form ')
const [curl = '', typeScript = '', pythonCode = ''] = readCodeBlocks(documentation)

it.skipIf(!hasCurl())('the curl code of createPet adds a pet unchanged', async () => {
  expect(await runCurl(`${curl} --silent --fail`)).toContain('"name":"Bella"')
})

it('the TypeScript code of createPet adds a pet unchanged', async () => {
  const output = await runProgram(process.execPath, ['--input-type=module', '--eval', typeScript])

  expect(output).toMatch(/^201 .*"name":"Bella"/)
})

it.skipIf(!hasPython())('the Python code of createPet adds a pet unchanged', async () => {
  expect(await runProgram(python, ['-c', pythonCode])).toMatch(/^201 .*"name":"Bella"/)
})
