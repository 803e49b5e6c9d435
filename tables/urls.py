"""Addresses of the floor: pages and the live stream."""

from django.urls import path

from tables.views import games, taking_back
from tables.views.audit import books, finding, pages, statements
from tables.views.cage import boxes, day, stocking, window
from tables.views.cage import closing as cage_closing
from tables.views.collection import dues, rates, reasons
from tables.views.dispute import show
from tables.views.floor import bank, board, clock, closing, must_move, opening, table
from tables.views.house import games as house_games
from tables.views.house import tables as house_tables
from tables.views.live import stream
from tables.views.players import merging
from tables.views.players import page as players
from tables.views.rounds import acts, corrections, dealer, pushes
from tables.views.seats import acts as seats
from tables.views.seats import between_rounds, chip_corrections
from tables.views.waiting import acts as waiting_acts
from tables.views.waiting import page

urlpatterns = [
    path("live/", stream.stream, name="live"),
    path("house/games/", house_games.ChooseGames.as_view(), name="house-games"),
    path("house/tables/", house_tables.listed, name="house-tables"),
    path("house/tables/add/", house_tables.AddTable.as_view(), name="add-table"),
    path("house/tables/<int:table_id>/turn/", house_tables.TurnTable.as_view(), name="turn-table"),
    path("house/tables/<int:table_id>/retire/", house_tables.RetireTable.as_view(), name="retire-table"),
    path("house/tables/<int:table_id>/restore/", house_tables.RestoreTable.as_view(), name="restore-table"),
    path("dealer/", dealer.choose, name="dealer"),
    path("dealer/sessions/<int:session_id>/", dealer.deal, name="dealer-session"),
    path("dealer/sessions/<int:session_id>/push/", pushes.HandOver.as_view(), name="hand-over"),
    path("dealer/sessions/<int:session_id>/take/", pushes.TakeTable.as_view(), name="take-table"),
    path("floor/", board.board, name="floor"),
    path("floor/time/", clock.ConfirmTime.as_view(), name="confirm-time"),
    path("floor/open/", opening.OpenTable.as_view(), name="floor-open"),
    path("floor/games/", games.listed, name="games"),
    path("floor/games/<slug:code>/", games.show, name="game"),
    path("floor/sessions/<int:session_id>/", table.session_page, name="floor-session"),
    path("floor/sessions/<int:session_id>/panel/", table.panel, name="floor-panel"),
    path("floor/sessions/<int:session_id>/stop-clock/", clock.StopClock.as_view(), name="stop-clock"),
    path("floor/sessions/<int:session_id>/start-clock/", clock.StartClock.as_view(), name="start-clock"),
    path("floor/sessions/<int:session_id>/fill/", bank.FillBank.as_view(), name="fill-bank"),
    path("floor/sessions/<int:session_id>/box/", bank.ChangeBox.as_view(), name="change-box"),
    path("floor/sessions/<int:session_id>/close/", closing.CloseTable.as_view(), name="close-table"),
    path("floor/sessions/<int:session_id>/break/", closing.BreakTable.as_view(), name="break-table"),
    path("floor/sessions/<int:session_id>/push/", pushes.PushDealer.as_view(), name="push-dealer"),
    path("floor/sessions/<int:session_id>/call-off/", acts.CallOffMatch.as_view(), name="call-off"),
    path("floor/sessions/<int:session_id>/rate/", rates.ChangeRate.as_view(), name="change-rate"),
    path("floor/sessions/<int:session_id>/rate/back/", rates.WithdrawRate.as_view(), name="withdraw-rate"),
    path("rates/", rates.rates, name="rates"),
    path("rates/card/", rates.card, name="rate-card"),
    path("rates/publish/", rates.PublishRate.as_view(), name="publish-rate"),
    path("floor/sessions/<int:session_id>/start/", acts.StartRound.as_view(), name="start-round"),
    path("floor/rounds/<int:round_id>/void/", acts.VoidRound.as_view(), name="void-round"),
    path(
        "floor/corrections/<int:correction_id>/approve/",
        corrections.ApproveCorrection.as_view(),
        name="approve-correction",
    ),
    path(
        "floor/corrections/<int:correction_id>/refuse/",
        corrections.RefuseCorrection.as_view(),
        name="refuse-correction",
    ),
    path("floor/claims/<int:claim_id>/paid/", corrections.PayClaim.as_view(), name="pay-claim"),
    path("floor/rounds/<int:round_id>/time/", acts.CallTime.as_view(), name="call-time"),
    path(
        "floor/rounds/<int:round_id>/by-hand/",
        corrections.AskSettlementByHand.as_view(),
        name="settle-by-hand",
    ),
    path("sessions/<int:session_id>/count/", between_rounds.CountChips.as_view(), name="count-chips"),
    path("waiting/", page.Lists.as_view(), name="waiting"),
    path("waiting/places/<int:place_id>/call/", waiting_acts.Call.as_view(), name="call-place"),
    path("waiting/places/<int:place_id>/seat/", waiting_acts.SeatPlace.as_view(), name="seat-place"),
    path("waiting/places/<int:place_id>/back/", waiting_acts.PutBack.as_view(), name="put-back"),
    path("waiting/places/<int:place_id>/leave/", waiting_acts.Leave.as_view(), name="leave-list"),
    path("waiting/must-move/<int:sitting_id>/", must_move.MoveUp.as_view(), name="move-up"),
    path("floor/sessions/<int:session_id>/must-move/", must_move.MustMove.as_view(), name="must-move"),
    path(
        "sessions/<int:session_id>/seats/<int:seat>/hold/", waiting_acts.HoldSeat.as_view(), name="hold-seat"
    ),
    path("sittings/<int:sitting_id>/change/", waiting_acts.TableChange.as_view(), name="table-change"),
    path("sessions/<int:session_id>/seats/", seats.panel, name="seats"),
    path("sessions/<int:session_id>/seats/<int:seat>/buy-in/", seats.BuyIn.as_view(), name="buy-in"),
    path("sittings/<int:sitting_id>/", statements.show, name="sitting"),
    path("sittings/<int:sitting_id>/statement.csv", statements.sitting_csv, name="sitting-csv"),
    path("floor/sessions/<int:session_id>/chips/", chip_corrections.listed, name="chips"),
    path("chips/<int:entry_id>/correct/", chip_corrections.CorrectChips.as_view(), name="correct-chips"),
    path("sittings/<int:sitting_id>/add-on/", seats.AddOn.as_view(), name="add-on"),
    path("sittings/<int:sitting_id>/sit-out/", seats.SitOut.as_view(), name="sit-out"),
    path("sittings/<int:sitting_id>/return/", seats.Return.as_view(), name="return"),
    path("sittings/<int:sitting_id>/pay/", seats.PayFee.as_view(), name="pay-fee"),
    path("sittings/<int:sitting_id>/toke/", between_rounds.Toke.as_view(), name="toke"),
    path("sittings/<int:sitting_id>/seat/", seats.ChangeSeat.as_view(), name="change-seat"),
    path("sittings/<int:sitting_id>/move/", seats.MovePlayer.as_view(), name="move"),
    path("sittings/<int:sitting_id>/cash-out/", seats.CashOut.as_view(), name="cash-out"),
    path("floor/sessions/<int:session_id>/fees/", taking_back.fees, name="fees"),
    path("entries/<int:entry_id>/undo/", taking_back.Undo.as_view(), name="undo"),
    path("entries/<int:entry_id>/back/", taking_back.TakeBackFee.as_view(), name="take-back"),
    path("cashier/entries/<int:entry_id>/undo/", taking_back.UndoAtCage.as_view(), name="undo-at-cage"),
    path(
        "cashier/entries/<int:entry_id>/back/", taking_back.TakeBackAtCage.as_view(), name="take-back-at-cage"
    ),
    path("cashier/", day.day_page, name="cashier"),
    path("cashier/tokes/<int:dealer_id>/", window.PayOutTokes.as_view(), name="pay-out-tokes"),
    path("cashier/sell/", window.SellChips.as_view(), name="sell-chips"),
    path("cashier/redeem/", window.RedeemChips.as_view(), name="redeem-chips"),
    path("cashier/fees/<int:sitting_id>/", window.PayFeeAtWindow.as_view(), name="pay-at-cage"),
    path("cashier/receipts/<int:entry_id>/", window.receipt, name="receipt"),
    path("cashier/days/<day:day>/close/", cage_closing.CloseDay.as_view(), name="close-day"),
    path("cashier/stock/", stocking.CountFirst.as_view(way="in"), name="stock-cage"),
    path("cashier/take-out/", stocking.CountFirst.as_view(way="out"), name="return-float"),
    path("cashier/slips/<int:slip_id>/", stocking.Slip.as_view(), name="cage-slip"),
    path("cashier/slips/<int:slip_id>/withdraw/", stocking.WithdrawSlip.as_view(), name="withdraw-slip"),
    path("cashier/boxes/<int:box_id>/", boxes.Box.as_view(), name="cashier-box"),
    path("players/", players.register, name="players"),
    path("players/suggest/", players.suggestions, name="suggest-players"),
    path("players/<int:player_id>/", players.Entry.as_view(), name="player"),
    path("players/<int:player_id>/merge/", merging.find_other, name="find-other-player"),
    path("players/<int:player_id>/merge/<int:other_id>/", merging.Merge.as_view(), name="merge-players"),
    path("dispute/", show.show, name="dispute"),
    path("audit/", pages.home, name="audit"),
    path("audit/days/<day:day>/", pages.day_page, name="audit-day"),
    path("audit/days/<day:day>/journal/", books.journal_page, name="journal"),
    path("audit/entries/<int:entry_id>/", books.entry_page, name="entry"),
    path("audit/accounts/<int:account_id>/", books.account_page, name="account"),
    path("audit/nights/<int:session_id>/", pages.night_page, name="table-night"),
    path("audit/nights/<int:session_id>/night.csv", statements.night_csv, name="table-night-csv"),
    path("audit/rounds/", finding.find_rounds, name="find-rounds"),
    path("audit/players/<int:player_id>/", pages.player_page, name="audit-player"),
    path("audit/players/<int:player_id>/day.csv", statements.player_csv, name="player-csv"),
    path("downs/<int:down_id>/", pages.down_page, name="down"),
    path("rounds/<int:round_id>/", pages.round_page, name="round"),
    path("rounds/<int:round_id>/dispute/", show.check_round, name="check-round"),
    path("floor/due/", dues.board, name="dues"),
    path("sittings/<int:sitting_id>/cash/", dues.TakeCash.as_view(), name="take-cash"),
    path("sittings/<int:sitting_id>/waive/", dues.WaiveFee.as_view(), name="waive-fee"),
    path("sittings/<int:sitting_id>/gone/", dues.LeftWithoutPaying.as_view(), name="left-unpaid"),
    path("rates/reasons/", reasons.reasons, name="waiver-reasons"),
    path("rates/reasons/publish/", reasons.PublishReason.as_view(), name="publish-reason"),
    path("rates/reasons/<int:reason_id>/withdraw/", reasons.WithdrawReason.as_view(), name="withdraw-reason"),
]
