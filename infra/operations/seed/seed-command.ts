import { confirmOption, confirmProduction, required, wholeNumber } from '../../command-line/options.ts'
import { UserError } from '../../command-line/user-error.ts'
import { readTarget, targetTool } from '../target/target-tool.ts'
import { maximumPets } from './seeded-pet.ts'

const description =
  'Gives an environment N made-up pets beside its own: adds those that are missing. They are the same every time. After an interruption the same command resumes; a greater N adds to what is there. With --remove it removes them.'

/**
 * @returns without a count where all made-up pets are to be removed
 * @throws UserError that says what to change
 */
export const readSeedCommand = (line: readonly string[]) => {
  const options = targetTool('npm run seed --', description)
    .option('--count <n>', `how many, at most ${maximumPets}`, wholeNumber(1, maximumPets))
    .addOption(confirmOption('for production, where the made-up pets are listed among real ones'))
    .option('--remove', 'remove all made-up pets instead')
    .parse(line, { from: 'user' })
    .opts()
  const target = readTarget(options)
  const { remove = false, json = false, confirm } = options
  if (remove && options.count !== undefined) {
    throw new UserError('--remove removes all made-up pets: leave out --count.')
  }
  const count = remove ? undefined : required(options.count, '--count <n>, or --remove,')
  confirmProduction(target.environment, confirm)
  return { target, count, json }
}
