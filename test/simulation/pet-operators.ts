/** Operators who change and remove animals with the real commands, two at once, and who are killed at times. */
import { removePets, setPets } from '../../infra/operations/pets/some-pets.ts'
import { petStatuses } from '../../shared/pets/pet.ts'
import { createMortalProcess, type Operators, openEnvironmentAt } from './operators.ts'
import type { Random } from './random.ts'

/** A command on one animal. */
interface Command {
  readonly name: 'set' | 'remove'
  readonly id: bigint
  readonly status: (typeof petStatuses)[number]
}

/** Starts operators. Now and then two of them change the same animal at once. */
export const startPetOperators = async (operators: Operators): Promise<void> => {
  const { time, random, mustSucceed, petRules } = operators
  const own = random.fork()
  while (!mustSucceed()) {
    await time.pause(own.untilNext(60) * 1_000)
    const ids = petRules.listAcknowledged()
    const id = ids[own.integer(0, ids.length - 1)]
    if (id === undefined || mustSucceed()) continue
    const commands = [drawCommand(own, id), drawCommand(own, id)].slice(own.integer(0, 1))
    await Promise.all(commands.map((command) => runCommand(operators, own, command)))
  }
}

const drawCommand = (random: Random, id: number): Command => ({
  name: random.chance(0.2) ? 'remove' : 'set',
  id: BigInt(id),
  status: random.pick(petStatuses),
})

const runCommand = async (operators: Operators, random: Random, command: Command): Promise<void> => {
  const { time, history } = operators
  const { name, id, status } = command
  await time.pause(random.between(0, 20))
  history.count('commands')
  history.note(String(id), `an operator runs ${name} ${status}`)

  const process = createMortalProcess(operators, 0.02)
  const { audit } = operators.audit.open(process)
  const environment = openEnvironmentAt(operators, process)
  const change = async (): Promise<void> => {
    if (name === 'set') {
      await setPets(environment, audit, [id], { status })
      return
    }
    operators.petRules.expectRemoval(Number(id))
    const { exitCode = 0 } = await removePets(environment, audit, [id], undefined)
    if (exitCode === 0) operators.petRules.confirmRemoval(Number(id))
  }
  try {
    await Promise.race([change(), process.killed])
  } catch (error) {
    history.note(String(id), `${name} failed: ${error}`)
    if (!(error instanceof Error)) throw error
  }
}
