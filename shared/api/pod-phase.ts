/** Whether a pod has ended for good: PodPhase Succeeded or Failed. */
export const isTerminalPhase = (phase: string | undefined): boolean => phase === "Succeeded" || phase === "Failed";

export const isPodTerminal = ({ status }: { status?: { phase?: string } }): boolean => isTerminalPhase(status?.phase);
