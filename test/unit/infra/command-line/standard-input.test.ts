import { PassThrough } from 'node:stream'
import { expect, it, vi } from 'vitest'
import { readHiddenLine } from '../../../../infra/command-line/standard-input.ts'
import { captureOutput } from '../../../fixtures/commands/commands.ts'

/** Replaces standard input. A terminal stays open after what is typed. */
const provideInput = (text: string | Uint8Array, { isTerminal }: { readonly isTerminal: boolean }): PassThrough => {
  const input = Object.assign(new PassThrough(), { isTTY: isTerminal })
  // The cast stands for the parts of a terminal that are not read.
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as unknown as typeof process.stdin)
  if (isTerminal) input.write(text)
  else input.end(text)
  return input
}

it.each([
  { text: 'pet_test_x\n', line: 'pet_test_x' },
  { text: '  pet_test_x\r\nmore\n', line: 'pet_test_x' },
  { text: '\uFEFFpet_test_x', line: 'pet_test_x' },
  { text: '', line: '' },
])('the line of the file or pipe $text is "$line", without a prompt', async ({ text, line }) => {
  provideInput(text, { isTerminal: false })

  const { errors } = await captureOutput(async () => {
    expect(await readHiddenLine('API key: ')).toBe(line)
  })

  expect(errors).toBe('')
})

it.each([
  { encoding: 'UTF-16', bytes: Buffer.from('pet_test_x', 'utf16le') },
  { encoding: 'windows-1252', bytes: Buffer.from('pet_t\u00EBst', 'latin1') },
])('a line in $encoding is a mistake, whose message does not show it', async ({ bytes }) => {
  provideInput(bytes, { isTerminal: false })

  await expect(readHiddenLine('API key: ')).rejects.toMatchObject({
    message: 'Standard input must be text in UTF-8, with one line.',
    exitCode: 2,
  })
})

it('a line that is typed on a terminal follows a prompt and is not shown, and then nothing more is read', async () => {
  const input = provideInput('pet_test_x\r', { isTerminal: true })

  const { output, errors } = await captureOutput(async () => {
    expect(await readHiddenLine('API key: ')).toBe('pet_test_x')
  })

  expect({ output, errors }).toEqual({ output: '', errors: 'API key: \n' })
  expect(input.isPaused(), 'so that the process can end').toBe(true)
})

it('Ctrl-C on a terminal is an interruption', async () => {
  provideInput('pet_test\u0003', { isTerminal: true })

  await captureOutput(async () => {
    await expect(readHiddenLine('API key: ')).rejects.toMatchObject({
      message: 'Interrupted. Nothing was changed.',
      exitCode: 130,
    })
  })
})
