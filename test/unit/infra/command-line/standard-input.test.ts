import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { readInputLine } from '../../../../infra/command-line/standard-input.ts'
import { captureOutput } from '../../../fixtures/commands/commands.ts'

/** Replaces standard input by a text. A terminal stays open after it. */
const provideInput = (text: string, { isTerminal }: { readonly isTerminal: boolean }): PassThrough => {
  const input = Object.assign(new PassThrough(), { isTTY: isTerminal })
  vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as unknown as typeof process.stdin)
  if (isTerminal) input.write(text)
  else input.end(text)
  return input
}

describe('a line of a file or pipe', () => {
  it.each([
    { text: 'pet_test_x\n', line: 'pet_test_x' },
    { text: '  pet_test_x\r\nmore\n', line: 'pet_test_x' },
    { text: 'pet_test_x', line: 'pet_test_x' },
    { text: '', line: '' },
  ])('a line of the input $text is "$line", without a prompt', async ({ text, line }) => {
    provideInput(text, { isTerminal: false })

    const { errors } = await captureOutput(async () => {
      expect(await readInputLine('API key: ', { echo: false })).toBe(line)
    })

    expect(errors).toBe('')
  })
})

describe('a line that is typed on a terminal', () => {
  it('a line that is typed on a terminal follows a prompt', async () => {
    provideInput('staging\r', { isTerminal: true })

    const { output, errors } = await captureOutput(async () => {
      expect(await readInputLine('Type staging: ')).toBe('staging')
    })

    expect(output).toBe('')
    expect(errors).toContain('Type staging: ')
    expect(errors).toContain('staging\r\n')
  })

  it('a line that is typed without an echo is not shown', async () => {
    provideInput('pet_test_x\r', { isTerminal: true })

    const { errors } = await captureOutput(async () => {
      expect(await readInputLine('API key: ', { echo: false })).toBe('pet_test_x')
    })

    expect(errors).toBe('API key: \n')
  })

  it('a terminal is not read any more after the line, so that the process can end', async () => {
    const input = provideInput('staging\r', { isTerminal: true })

    await captureOutput(() => readInputLine('Type staging: '))

    expect(input.isPaused()).toBe(true)
  })

  it('Ctrl-C on a terminal is an interruption', async () => {
    provideInput('pet_test\u0003', { isTerminal: true })

    await captureOutput(async () => {
      await expect(readInputLine('API key: ', { echo: false })).rejects.toMatchObject({
        message: 'Interrupted. Nothing was changed.',
        exitCode: 130,
      })
    })
  })
})
